package items

import (
	"slices"
	"strings"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/record"
)

// Arrangement is a change of where files of a working copy are.
type Arrangement struct {
	Seen   int64   // Article.Arranged when the person looked
	Files  []int64 // what is moved
	From   string  // or the folder that gets another name, with the folders in it
	Into   *string // the folder that the files come into, or that name; nil for where they are
	Before int64   // a file that the files come before, in its folder; 0 for none
	Step   int     // the one file goes up by one in its folder (-1), or down (1)
}

// mostOrdered is how many files an article has at most whose order is kept, in its record.
const mostOrdered = 10_000

// Arranged reads the files of a working copy as their owner sees them: by folder, and in each by the order that a
// person gave them, or else by name.
func Arranged(tx *bucket.Tx, art *record.Article) ([]*record.File, error) {
	list, err := indexedFiles(tx, files.ByArticle, art.ID)
	if len(art.FileOrder) == 0 {
		slices.SortStableFunc(list, func(a, b *record.File) int { return strings.Compare(a.Name, b.Name) })
	} else {
		files.Arrange(art.FileOrder, list, func(f *record.File) int64 { return f.ID })
	}
	byFolder(list)
	return list, err
}

func byFolder(files []*record.File) {
	slices.SortStableFunc(files, func(a, b *record.File) int { return strings.Compare(a.Folder, b.Folder) })
}

// Arrange moves files of a working copy, or puts them in order; the caller stores the article. It is record.ErrStale
// when another window has done so meanwhile, and record.ErrFileNotFound when a file has gone.
func (s *Service) Arrange(tx *bucket.Tx, art *record.Article, how *Arrangement) error {
	if how.Seen != art.Arranged {
		return record.ErrStale
	}
	files, err := Arranged(tx, art)
	if err != nil {
		return err
	}
	moved := make(map[int64]bool, len(how.Files))
	for _, id := range how.Files {
		moved[id] = true
	}
	into := func(*record.File) string { return *how.Into }
	var target *record.File
	switch {
	case how.Before != 0:
		at := slices.IndexFunc(files, func(f *record.File) bool { return f.ID == how.Before })
		if at < 0 || moved[how.Before] {
			return record.ErrFileNotFound
		}
		target = files[at]
		into = func(*record.File) string { return target.Folder }
	case how.Into == nil:
		into = func(f *record.File) string { return f.Folder }
	case how.From != "":
		for _, f := range files {
			if f.Folder == how.From || strings.HasPrefix(f.Folder, how.From+"/") {
				moved[f.ID] = true
			}
		}
		into = func(f *record.File) string {
			return strings.TrimPrefix(*how.Into+strings.TrimPrefix(f.Folder, how.From), "/")
		}
	}
	stay, going := files[:0:0], files[:0:0]
	for _, f := range files {
		if moved[f.ID] {
			going = append(going, f)
		} else {
			stay = append(stay, f)
		}
	}
	if len(going) == 0 || len(going) != len(moved) {
		return record.ErrFileNotFound
	}
	ordered := how.Before != 0 || how.Step != 0
	if ordered && len(files) > mostOrdered {
		return record.ErrTooManyToOrder
	}
	if how.Step != 0 {
		files = stepped(files, going[0], how.Step)
	} else {
		at := len(stay)
		if target != nil {
			at = slices.Index(stay, target)
		}
		files = slices.Concat(stay[:at], going, stay[at:])
	}
	for i, f := range files {
		if folder := into(f); moved[f.ID] && folder != f.Folder {
			if _, err := record.FolderPath(folder); err != nil { // it may be too long only with what follows
				return err
			}
			if files[i], err = s.relocate(tx, art, f, folder); err != nil {
				return err
			}
		}
	}
	byFolder(files)
	if art.Arranged++; ordered || len(art.FileOrder) > 0 && len(files) <= mostOrdered {
		art.FileOrder = nil
		for _, f := range files {
			art.FileOrder = append(art.FileOrder, f.ID)
		}
	}
	return nil
}

// stepped is the list with a file before the one above it in its folder, or behind the one below it.
func stepped(files []*record.File, f *record.File, step int) []*record.File {
	at := slices.Index(files, f)
	if to := at + step; to >= 0 && to < len(files) && files[to].Folder == f.Folder {
		files[at], files[to] = files[to], f
	}
	return files
}

// relocate puts a file into another folder. Files that readers or reviewers may have stay as they are for them: the working
// copy then has a file of its own with the same bytes, which counts against the quota as any other.
func (s *Service) relocate(tx *bucket.Tx, art *record.Article, f *record.File, folder string) (*record.File, error) {
	if f.Added == 0 && !f.Held && f.Submitted == record.NotSubmitted {
		f.Folder, f.Modified = folder, tx.Now()
		return f, files.Files.Put(tx, f.ID, f)
	}
	moved := *f
	moved.Folder, moved.Token, moved.Added, moved.Removed = folder, "", 0, 0
	moved.Held, moved.Hidden, moved.Submitted = false, false, record.NotSubmitted
	shown := art.Thumb.File == f.ID
	if err := DetachFile(tx, art, f); err != nil {
		return nil, err
	}
	if err := s.AddFile(tx, art, &moved, moved.Size); err != nil {
		return nil, err
	}
	if shown {
		art.Thumb.File = moved.ID
	}
	return &moved, nil
}
