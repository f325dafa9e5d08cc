package load

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/tests/disk"
	"alcove/tests/world"
)

var (
	uploadSchedules = flag.Int("upload-schedules", 10, "how many schedules TestUploadSchedules plays")
	uploadSeed      = flag.Uint64("upload-seed", 0, "what TestUploadSchedules does by chance; 0 takes one from the clock")
	uploadFrom      = flag.Int("upload-from", 0, "the first schedule of TestUploadSchedules, to play one again")
)

// Uploads that everything happens to: the server is killed, clients vanish in the middle of a
// part, parts come twice, at once, too short, too long, with other bytes, are deleted, bits
// flip on the disk. A model says what each part may be. After every step, and above all after
// every restart, the list of parts must be one that the model allows, and a part that is said
// to be complete must have, in the staged file, bytes that were sent for it. In the end the
// file is available with the bytes of its parts, or refused with a reason.
func TestUploadSchedules(t *testing.T) {
	t.Parallel()
	seed := *uploadSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("schedules %d to %d of -upload-seed %d", *uploadFrom, *uploadFrom+*uploadSchedules-1, seed)
	p := &world.Process{T: t, Dir: t.TempDir(), Port: "0"}
	token := p.Owner()
	p.Start()
	defer func() { p.Kill() }()
	article := world.LastField(p.Want(201, "POST", p.URL+"/v2/account/articles", token, `{"title": "Schedules"}`))
	var all tally
	begun := time.Now()
	for n := range *uploadSchedules {
		s := &schedule{Process: p, r: rand.New(rand.NewPCG(seed, uint64(*uploadFrom+n))), token: token, article: article, tally: &all, n: *uploadFrom + n}
		s.play()
		if t.Failed() {
			t.Fatalf("schedule %d of -upload-seed %d:\n%s", s.n, seed, strings.Join(s.story, "\n"))
		}
	}
	t.Logf("%d schedules in %v: %+v", *uploadSchedules, time.Since(begun).Round(time.Second), all)
}

// tally counts what happened in all schedules.
type tally struct {
	Kills, Parts, Cut, Twice, WrongLength, OtherBytes, Deleted, Flipped, Checked int
	Available, Refused, Aborted                                                  int
}

// schedule is one upload and what happens to it.
type schedule struct {
	*world.Process
	*tally
	r                    *rand.Rand
	n                    int
	token, article, file string
	upload               string
	size                 int
	sum                  bool // an md5 was announced
	plan                 []world.Part
	may                  []map[int]bool // of each part: what it may be
	story                []string
	failed               sync.Mutex
}

// pending stands in the model for a part that is not complete; other numbers are the variant
// of its bytes, of which the first is right.
const pending = -1

func (s *schedule) tell(format string, args ...any) {
	s.story = append(s.story, fmt.Sprintf(format, args...))
}

// bytes are the bytes of a variant of a part, other ones in every schedule.
func (s *schedule) bytes(i, variant int) []byte {
	return disk.Random(int(s.plan[i].End-s.plan[i].Start+1), uint64(s.n+1)<<32|uint64(i+1)<<8|uint64(variant+1))
}

func (s *schedule) whole(variants []int) []byte {
	var b []byte
	for i, v := range variants {
		b = append(b, s.bytes(i, v)...)
	}
	return b
}

func (s *schedule) play() {
	s.begin()
	for range s.r.IntN(5) + 1 {
		if len(s.plan) > 0 {
			s.step()
		}
	}
	if s.r.IntN(8) == 0 {
		s.abort()
		return
	}
	s.finish()
}

func (s *schedule) begin() {
	sizes := []int{0, 1, 100_000, world.PartSize - 1, world.PartSize, world.PartSize + 1, world.PartSize + 70_000, 2*world.PartSize + 1, 2*world.PartSize + 50_000}
	s.size = sizes[s.r.IntN(len(sizes))]
	for at := 0; at < s.size; at += world.PartSize { // as the server will say, or play finds out
		s.plan = append(s.plan, world.Part{No: len(s.plan) + 1, Start: int64(at), End: int64(min(at+world.PartSize, s.size)) - 1})
		s.may = append(s.may, map[int]bool{pending: true})
	}
	body := fmt.Sprintf(`{"name": "soak.bin", "size": %d}`, s.size)
	if s.sum = s.r.IntN(3) > 0; s.sum {
		sum := md5.Sum(s.whole(make([]int, len(s.plan))))
		body = fmt.Sprintf(`{"name": "soak.bin", "size": %d, "md5": %q}`, s.size, hex.EncodeToString(sum[:]))
	}
	s.tell("begin %s", body)
	s.file = world.LastField(s.Want(201, "POST", s.article+"/files", s.token, body))
	s.upload = s.record()["upload_url"].(string)
	s.look()
}

// record is the file as its owner sees it.
func (s *schedule) record() (f map[string]any) {
	s.T.Helper()
	if err := json.Unmarshal([]byte(s.Want(200, "GET", s.file, s.token, "")), &f); err != nil {
		s.T.Fatal(err)
	}
	return f
}

// deed is something that a client does to a part, and how it ended.
type deed struct {
	i, variant int
	kind       string
	status     int
}

// step does some things at once, perhaps kills the server meanwhile, and looks.
func (s *schedule) step() {
	kinds := []string{"put", "put", "put", "other", "short", "long", "chunked", "cut", "reset", "delete"}
	deeds := make([]deed, s.r.IntN(4)+1)
	for k := range deeds {
		deeds[k] = deed{i: s.r.IntN(len(s.plan)), kind: kinds[s.r.IntN(len(kinds))]}
		if deeds[k].kind == "other" {
			deeds[k].variant = s.r.IntN(3) + 1
		}
	}
	on := map[int]int{}
	for _, d := range deeds {
		on[d.i]++
	}
	for k, d := range deeds {
		if d.kind == "reset" && on[d.i] > 1 { // the owner of the lock would be unknown
			deeds[k].kind = "cut"
		}
	}
	kill, after := s.r.IntN(3) == 0, time.Duration(s.r.IntN(80))*time.Millisecond
	pieces := make([]int, len(deeds))
	for k, d := range deeds {
		pieces[k] = s.r.IntN(int(s.plan[d.i].End-s.plan[d.i].Start) + 1)
	}
	var running sync.WaitGroup
	for k := range deeds {
		running.Go(func() { s.do(&deeds[k], pieces[k]) })
	}
	if kill {
		<-time.After(after)
		s.Kill()
	}
	running.Wait()
	s.tell("%+v, kill %v after %v", deeds, kill, after)
	s.count(deeds, kill)
	s.expect(deeds)
	if kill {
		s.Start()
	}
	s.look()
}

// do does one deed; piece is how many bytes come before the client vanishes.
func (s *schedule) do(d *deed, piece int) {
	at := fmt.Sprint(s.upload, "/", s.plan[d.i].No)
	if d.kind == "delete" {
		d.status, _ = s.Call("DELETE", at, "", nil)
		return
	}
	data := s.bytes(d.i, d.variant)
	var body io.Reader = bytes.NewReader(data)
	switch d.kind {
	case "short":
		body = bytes.NewReader(data[1:])
	case "long":
		body = io.MultiReader(bytes.NewReader(append(data, 0)))
	case "chunked":
		body = io.MultiReader(bytes.NewReader(data[:piece]))
	case "cut", "reset":
		s.vanish(at, data, piece, d.kind == "reset")
		return
	}
	d.status, _ = s.Call("PUT", at, "", body)
}

// vanish sends some bytes of a part and goes away: in order, or like a client whose machine
// was switched off. It returns when the server has met it, so that it does not come later.
func (s *schedule) vanish(at string, data []byte, piece int, hard bool) {
	host, path, _ := strings.Cut(strings.TrimPrefix(at, "http://"), "/")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		return // the server has been killed
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(30 * time.Second))
	tcp := conn.(*net.TCPConn)
	fmt.Fprintf(conn, "PUT /%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %d\r\n\r\n", path, len(data))
	conn.Write(data[:piece])
	if !hard {
		tcp.CloseWrite()
		io.Copy(io.Discard, conn)
		return
	}
	tcp.SetLinger(0)
	for piece < len(data) {
		status, b := s.Call("GET", at, "", nil)
		if status != 200 || strings.Contains(string(b), `"locked":true`) {
			return
		}
	}
	io.Copy(io.Discard, conn) // all bytes came
}

func (s *schedule) count(deeds []deed, kill bool) {
	met := map[int]bool{}
	for _, d := range deeds {
		switch d.kind {
		case "put":
			s.Parts++
		case "other":
			s.OtherBytes++
		case "short", "long", "chunked":
			s.WrongLength++
		case "cut", "reset":
			s.Cut++
		case "delete":
			s.Deleted++
		}
		if met[d.i] {
			s.Twice++
		}
		met[d.i] = true
	}
	if kill {
		s.Kills++
	}
}

// expect tells the model what was done. Of several things that were done to a part at once
// any may have come last.
func (s *schedule) expect(deeds []deed) {
	for i := range s.plan {
		after, stays := map[int]bool{}, true
		for _, d := range deeds {
			if d.i != i {
				continue
			}
			whole := d.kind == "put" || d.kind == "other"
			switch {
			case d.status == 200 && d.kind == "delete":
				after[pending], stays = true, false
			case d.status == 200 && (whole || d.kind == "chunked"):
				after[d.variant], stays = true, false // chunked: when it had all bytes by chance
			case d.status == 0 && whole, d.status == 0 && d.kind == "chunked":
				after[pending], after[d.variant] = true, true
			case d.status == 0, d.status == 400 && d.kind != "short":
				after[pending] = true
			case d.status == 400 && d.kind == "short", d.status == 409:
			default:
				s.wrong("%s of part %d answered %d", d.kind, i+1, d.status)
			}
		}
		if stays {
			for v := range s.may[i] {
				after[v] = true
			}
		}
		s.may[i] = after
	}
}

func (s *schedule) wrong(format string, args ...any) {
	s.failed.Lock()
	defer s.failed.Unlock()
	s.T.Errorf("schedule %d: "+format, append([]any{s.n}, args...)...)
}

// list is the list of parts once none is being written.
func (s *schedule) list() (parts []world.Part) {
	s.T.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(5 * time.Millisecond) {
		var u struct {
			Parts []world.Part `json:"parts"`
		}
		if err := json.Unmarshal([]byte(s.Want(200, "GET", s.upload, "", "")), &u); err != nil {
			s.T.Fatal(err)
		}
		if !slices.ContainsFunc(u.Parts, func(p world.Part) bool { return p.Locked }) {
			return u.Parts
		}
		if time.Now().After(deadline) {
			s.T.Fatalf("parts stay locked: %+v", u.Parts)
		}
	}
}

func (s *schedule) staged() string {
	return filepath.Join(s.Dir, "data", "uploads", s.upload[strings.LastIndexByte(s.upload, '/')+1:])
}

// look compares the list of parts with the model, and the disk with the list.
func (s *schedule) look() {
	s.T.Helper()
	parts := s.list()
	if len(parts) != len(s.plan) {
		s.T.Fatalf("schedule %d: %d parts, want %d", s.n, len(parts), len(s.plan))
	}
	for i, p := range parts {
		if p.No != i+1 || p.Start != s.plan[i].Start || p.End != s.plan[i].End {
			s.wrong("part %+v is not as planned", p)
		}
		if p.Status != "COMPLETE" {
			if !s.may[i][pending] {
				s.wrong("part %d is %s and may be %v", p.No, p.Status, s.may[i])
			}
			s.may[i] = map[int]bool{pending: true}
			continue
		}
		s.Checked++
		f, err := os.Open(s.staged())
		if err != nil {
			s.wrong("part %d is said to be complete: %v", p.No, err)
			continue
		}
		disk := make([]byte, p.End-p.Start+1)
		_, err = f.ReadAt(disk, p.Start)
		f.Close()
		found := pending
		for v := range s.may[i] {
			if v != pending && bytes.Equal(disk, s.bytes(i, v)) {
				found = v
			}
		}
		if found == pending {
			s.wrong("part %d is said to be complete, and on the disk is nothing that it may be of %v (%v)", p.No, s.may[i], err)
		}
		s.may[i] = map[int]bool{found: true}
	}
}
