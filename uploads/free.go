package uploads

import "fmt"

// Free is how many bytes the file system still takes, as it says: a hint, since other processes
// write too. Where the system does not tell it is 4 EiB.
func (s *Staging) Free() (int64, error) {
	dir, err := s.root.Open(".")
	if err != nil {
		return 0, fmt.Errorf("cannot tell what is free on the disk: %w", bare(err))
	}
	defer dir.Close()
	n, err := free(dir)
	if err != nil {
		return 0, fmt.Errorf("cannot tell what is free on the disk: %w", err)
	}
	return n, nil
}
