package articles

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"alcove/tests/stage"
	"alcove/tests/world"
)

// deposit is what one article should be, told by rules that are simpler than the server's: sets of
// files for each state.
type deposit struct {
	work      []int64           // files of the working copy
	sizes     map[int64]int     // of every file that was ever made
	public    map[int]*snapshot // by version
	held      *snapshot
	pending   *snapshot
	withdrawn []int64 // files of versions that were withdrawn and not of the working copy then
	latest    int
	embargo   string // article, file or none
	off       bool   // downloads
}

type snapshot struct {
	files  []int64
	hidden bool
	off    bool
}

func (d *deposit) appear(v *snapshot) {
	d.latest++
	v.hidden = d.embargo == "file"
	d.public[d.latest] = v
}

func (d *deposit) setEmbargo(kind string) {
	d.embargo = kind
	if d.held != nil && kind != "article" {
		v := d.held
		d.held = nil
		d.appear(v)
	}
}

// quota is what the files use, private and public.
func (d *deposit) quota() string {
	private, public := 0, 0
	for id, size := range d.sizes {
		if d.has(id, func(*snapshot) bool { return true }) {
			public += size
		} else if slices.Contains(d.work, id) || slices.Contains(d.withdrawn, id) ||
			d.held != nil && slices.Contains(d.held.files, id) || d.pending != nil && slices.Contains(d.pending.files, id) {
			private += size
		}
	}
	return fmt.Sprintf("%d+%d=%d", private, public, private+public)
}

// has reports whether a public version of some sort has a file.
func (d *deposit) has(file int64, which func(*snapshot) bool) bool {
	for _, v := range d.public {
		if which(v) && slices.Contains(v.files, file) {
			return true
		}
	}
	return false
}

func joinIDs(ids []int64) string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return strings.Trim(fmt.Sprint(ids), "[]")
}

func idsOf(list []map[string]any) (ids []int64) {
	for _, f := range list {
		ids = append(ids, int64(f["id"].(float64)))
	}
	return ids
}

// check compares every address with what should be there.
func (d *deposit) check(s *world.Server, at string, eve world.Client) error {
	article := world.LastNumber(s.T, at)
	var bad []error
	wrong := func(format string, args ...any) { bad = append(bad, fmt.Errorf(format, args...)) }
	off := d.latest > 0 && d.public[d.latest] != nil && d.public[d.latest].off
	for id := range d.sizes {
		shown := d.has(id, func(v *snapshot) bool { return !v.hidden })
		want := 404
		switch {
		case shown && off:
			want = 403
		case shown:
			want = 200
		}
		for _, path := range []string{"/files/%d", "/v2/file/download/%d"} {
			if got := s.Anon.Get(fmt.Sprintf(path, id)); got.StatusCode != want {
				wrong("a stranger gets file %d as %d, want %d", id, got.StatusCode, want)
			}
		}
		if want == 404 && d.pending != nil && slices.Contains(d.pending.files, id) {
			want = 200
		}
		if got := eve.Get(fmt.Sprintf("/files/%d", id)); got.StatusCode != want {
			wrong("the reviewer gets file %d as %d, want %d", id, got.StatusCode, want)
		}
		want = 404
		if slices.Contains(d.work, id) || shown {
			want = 200
		}
		if got := s.Ben.Get(fmt.Sprintf("/files/%d", id)); got.StatusCode != want {
			wrong("the owner gets file %d as %d, want %d", id, got.StatusCode, want)
		}
	}
	for n := 1; n <= d.latest+1; n++ {
		v := d.public[n]
		path := fmt.Sprintf("/v2/articles/%d/versions/%d", article, n)
		detail, list, zip := s.Anon.Get(path), s.Anon.Get(path+"/files"), s.Anon.Get(path+"/download")
		if v == nil {
			if detail.StatusCode != 404 || list.StatusCode != 404 || zip.StatusCode != 404 {
				wrong("version %d is there: %d %d %d", n, detail.StatusCode, list.StatusCode, zip.StatusCode)
			}
			continue
		}
		if detail.StatusCode != 200 || list.StatusCode != 200 {
			wrong("version %d: %d %d", n, detail.StatusCode, list.StatusCode)
			continue
		}
		files, size, status := v.files, 0, 200
		if v.hidden {
			files = nil
		}
		for _, id := range files {
			size += d.sizes[id]
		}
		switch {
		case v.off || off:
			status = 403
		case len(files) == 0:
			status = 404
		}
		o := detail.Object()
		if got := joinIDs(idsOf(list.List())); got != joinIDs(files) {
			wrong("version %d has the files %s, want %s", n, got, joinIDs(files))
		}
		if got := int(o["size"].(float64)); got != size {
			wrong("version %d has %d bytes, want %d", n, got, size)
		}
		if zip.StatusCode != status {
			wrong("the archive of version %d is %d, want %d", n, zip.StatusCode, status)
		}
	}
	if got := joinIDs(idsOf(s.Ben.Get(at + "/files").Is(200).List())); got != joinIDs(d.work) {
		wrong("the working copy has %s, want %s", got, joinIDs(d.work))
	}
	if got := s.Ben.FileQuota(); got != d.quota() {
		wrong("used %s, want %s", got, d.quota())
	}
	return errors.Join(bad...)
}

// Whatever an owner, a reviewer and an operator do, in any order, readers get the files of public
// versions that are not withheld, and the quota is that of the files that are kept.
func TestDepositStates(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			walkStates(t, seed, 90)
		})
	}
}

func walkStates(t *testing.T, seed uint64, steps int) {
	s, eve, _ := stage.NewReviewed(t)
	random := rand.New(rand.NewPCG(seed, 7))
	d := &deposit{}
	at, asks, reviews, bytes := "", true, 0, 0
	var log []string
	fresh := func() {
		at = s.Ben.Article(`{"title": "Many states", "authors": [{"name": "Grace Hopper"}]}`)
		d = &deposit{sizes: map[int64]int{}, public: map[int]*snapshot{}, embargo: "none"}
	}
	fresh()
	for range steps {
		did := ""
		switch n := random.IntN(20); {
		case n < 4 && len(d.work) < 4:
			bytes++
			data := []byte(strings.Repeat("x", bytes))
			id := world.LastNumber(t, s.Ben.Upload(at, fmt.Sprintf("f%d.txt", bytes), data))
			d.work, d.sizes[id] = append(d.work, id), len(data)
			did = fmt.Sprint("upload ", id)
		case n < 6 && len(d.work) > 0:
			i := random.IntN(len(d.work))
			did = fmt.Sprint("drop ", d.work[i])
			s.Ben.Do("DELETE", fmt.Sprintf("%s/files/%d", at, d.work[i]), nil).Is(204)
			d.work = slices.Delete(d.work, i, i+1)
		case n < 10:
			did = "publish"
			s.Ben.Do("POST", at+"/publish", nil).Is(201)
			v := &snapshot{files: slices.Clone(d.work), off: d.off}
			d.pending = nil
			switch {
			case asks:
				reviews++
				d.pending = v
			case d.embargo == "article":
				d.held = v
			default:
				d.appear(v)
			}
		case n < 13:
			kind := []string{"approved", "approved", "rejected", "closed"}[random.IntN(4)]
			if d.pending == nil {
				continue
			}
			did = kind
			eve.Decide(reviews, kind, "So be it").Is(200)
			v := d.pending
			d.pending = nil
			switch {
			case kind != "approved":
			case d.embargo == "article":
				d.held = v
			default:
				d.appear(v)
			}
		case n < 16:
			kind := []string{"article", "file", "none"}[random.IntN(3)]
			did = "embargo " + kind
			if kind == "none" {
				s.Ben.Do("DELETE", at+"/embargo", nil).Is(204)
			} else {
				s.Ben.Embargo(at, kind, "2999-01-01")
			}
			d.setEmbargo(kind)
		case n < 17:
			did = "unpublish"
			r := s.Ben.Send("POST", at+"/unpublish", world.WhyWithdrawn)
			if d.public[d.latest] == nil && d.held == nil {
				r.Is(400)
				break
			}
			r.Is(204)
			for _, v := range d.public {
				for _, id := range v.files {
					if !slices.Contains(d.withdrawn, id) && !slices.Contains(d.work, id) {
						d.withdrawn = append(d.withdrawn, id)
					}
				}
			}
			d.public, d.held, d.pending = map[int]*snapshot{}, nil, nil
		case n < 18:
			asks = !asks
			did = fmt.Sprint("review ", asks)
			s.AsksForReview(1, asks)
		case n < 19:
			d.off = !d.off
			did = fmt.Sprint("off ", d.off)
			s.Ben.Send("PATCH", at, fmt.Sprintf(`{"download_disabled": %v}`, d.off)).Is(205)
		default:
			did = "delete"
			r := s.Ben.Do("DELETE", at, nil)
			if d.public[d.latest] != nil {
				r.Is(403)
				break
			}
			r.Is(204)
			if got := s.Ben.FileQuota(); got != "0+0=0" {
				t.Fatalf("after %v, delete: used %s", log, got)
			}
			fresh()
		}
		log = append(log, did)
		if err := d.check(s, at, eve); err != nil {
			t.Fatalf("after %s:\n%v", strings.Join(log, ", "), err)
		}
	}
}
