package check

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"alcove/blobs"
	"alcove/bucket"
	"alcove/bucket/damage"
	"alcove/bucket/files"
	"alcove/record"
)

// eachBlob reads every blob that a file names.
func (k *Checker) eachBlob(ctx context.Context, p *pass) error {
	after := ""
	k.note(func(s *state) { after = s.After })
	for {
		var list []files.BlobUse
		err := k.DB.View(func(tx *bucket.Tx) error {
			list = files.BlobsAfter(tx, after, 200)
			return nil
		})
		if err != nil {
			k.found(Problem{Kind: damage.OfIndex, Table: "files.blob", Reason: "which files have which blobs is not known: " + firstLine(err)})
			return nil
		}
		if len(list) == 0 {
			return nil
		}
		for _, use := range list {
			if err := k.blob(ctx, use, p); err != nil {
				return err
			}
			after = use.SHA256
			k.note(func(s *state) { s.After = after })
			k.progress("blobs", place(after))
			k.saveSometimes()
		}
	}
}

// firstLine is an error without the trace that may follow it.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// place is how far along all digests one is: they are spread evenly.
func place(sha string) float64 {
	b, err := hex.DecodeString(sha[:min(4, len(sha))])
	if err != nil || len(b) < 2 {
		return 0
	}
	return (float64(b[0])*256 + float64(b[1])) / 65536
}

// blob reads a blob and compares it with what the files say that name it. It fails only when
// the check ends.
func (k *Checker) blob(ctx context.Context, use files.BlobUse, p *pass) error {
	files, want := k.files(use)
	if want == nil {
		return nil // they are gone since, not finished, or damaged and named as such
	}
	ref, err := blobs.ParseRef(use.SHA256)
	var sums blobs.Sums
	if err == nil {
		sums, err = k.Blobs.Verify(ctx, ref, p.pace)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, still := k.files(use); still == nil {
			return nil // the last of its files was deleted meanwhile
		}
	}
	k.note(func(s *state) {
		s.Report.Blobs++
		s.Report.Bytes += sums.Size
	})
	fault, reason := wrong(want, sums, err)
	if fault == "" {
		return nil
	}
	problem := Problem{Kind: "blob", SHA256: use.SHA256, Fault: fault, Reason: reason, Files: files, Uses: use.Uses}
	if p.Repair && fault != "sums" {
		err := k.fetch(ctx, ref, p)
		if problem.Repaired = err == nil; err != nil {
			problem.Reason += "; " + err.Error()
		}
	}
	k.found(problem)
	return ctx.Err()
}

// fetch takes the bytes of a blob from a backup.
func (k *Checker) fetch(ctx context.Context, ref blobs.Ref, p *pass) error {
	if p.From == "" {
		return errNoBackup
	}
	name := ref.String()
	f, err := os.Open(filepath.Join(p.From, "blobs", name[:2], name[2:]))
	if err != nil {
		return fmt.Errorf("cannot fetch bytes from the backup: %w", err)
	}
	defer f.Close()
	if err := k.Blobs.Repair(ctx, ref, f, p.pace); err != nil {
		return fmt.Errorf("cannot fetch bytes from the backup: %w", err)
	}
	return nil
}

// wrong says what is wrong with a blob, nothing when it is as its record says.
func wrong(want *record.File, sums blobs.Sums, err error) (fault, reason string) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "missing", "it is missing"
	case err != nil && sums.Size > 0 && sums.Size != want.Size:
		return "size", fmt.Sprintf("it has %d bytes and should have %d", sums.Size, want.Size)
	case errors.Is(err, blobs.ErrDamaged) && sums.Size == want.Size && !sums.SHA256.IsZero():
		return "damaged", fmt.Sprintf("its SHA-256 is %s", sums.SHA256)
	case errors.Is(err, blobs.ErrDamaged):
		return "misplaced", err.Error()
	case err != nil:
		return "unreadable", err.Error()
	case sums.Size != want.Size:
		return "sums", fmt.Sprintf("it has %d bytes, recorded are %d", sums.Size, want.Size)
	case sums.MD5.String() != want.MD5:
		return "sums", fmt.Sprintf("its MD5 is %s, recorded is %s", sums.MD5, want.MD5)
	case sums.CRC32 != want.CRC32:
		return "sums", fmt.Sprintf("its CRC-32 is %08x, recorded is %08x", sums.CRC32, want.CRC32)
	}
	return "", ""
}

// files are the files that name a blob, as far as they can be read, and the first finished one.
func (k *Checker) files(use files.BlobUse) (list []BlobFile, finished *record.File) {
	list = []BlobFile{}
	_ = k.DB.View(func(tx *bucket.Tx) error {
		for _, id := range use.Files {
			f, err := files.Files.Get(tx, id)
			if err != nil || f.SHA256 != use.SHA256 {
				continue
			}
			list = append(list, BlobFile{f.ID, f.ArticleID, f.Name, f.Added, f.Removed})
			if finished == nil && f.Finished() {
				finished = f
			}
		}
		return nil
	})
	return list, finished
}

// unreferenced looks for what lies among the blobs and is none, and counts those that no file names.
func (k *Checker) unreferenced(ctx context.Context, _ *pass) error {
	err := k.Blobs.Walk(ctx, func(e blobs.Entry) error {
		if e.Ref.IsZero() {
			if !k.named(e.Path) { // of a blob that is named, it was told above
				k.found(Problem{Kind: "stray", Key: e.Path, Reason: "it is not a blob; Alcove leaves it alone"})
			}
			return nil
		}
		named := true
		err := k.DB.View(func(tx *bucket.Tx) error {
			_, named = files.ByBlob.First(tx, bucket.SortKey(e.Ref.String()))
			return nil
		})
		if err == nil && !named {
			k.note(func(s *state) {
				s.Report.Orphans++
				s.Report.OrphanBytes += e.Size
			})
		}
		return nil
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// named reports whether a file names the blob whose place a path is.
func (k *Checker) named(path string) (named bool) {
	dir, rest := filepath.Split(filepath.FromSlash(path))
	_ = k.DB.View(func(tx *bucket.Tx) error {
		_, named = files.ByBlob.First(tx, bucket.SortKey(filepath.Base(dir)+rest))
		return nil
	})
	return named
}
