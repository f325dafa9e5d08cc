package world

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// FileNames are the names of files in a list, in its order.
func FileNames(list []map[string]any) string {
	var names []string
	for _, f := range list {
		names = append(names, f["name"].(string))
	}
	return strings.Join(names, " ")
}

// FileQuota is what an account uses: in private copies, in public versions, and together.
func (c Client) FileQuota() string {
	a := c.Get("/v2/account").Is(200).Object()
	return fmt.Sprint(a["used_quota_private"], "+", a["used_quota_public"], "=", a["used_quota"])
}

// FileDisk lists what lies in a folder of the data directory, folders left out.
func (s *Server) FileDisk(folder string) (names []string) {
	s.T.Helper()
	root := filepath.Join(s.Cfg.Data, folder)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(root, path)
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		s.T.Fatal(err)
	}
	return names
}

// PublicFile publishes an item with one file and returns the address of its bytes.
func (c Client) PublicFile(name string, data []byte) string {
	c.Server.T.Helper()
	at := c.Article(`{"title": "With a file", "authors": [{"name": "Grace Hopper"}]}`)
	file := c.Upload(at, name, data)
	c.Do("POST", at+"/publish", nil).Is(201)
	return fmt.Sprint("/files/", LastNumber(c.Server.T, file))
}

// Blob is where the bytes of a file lie.
func (s *Server) Blob(data []byte) string {
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	return filepath.Join(s.Cfg.Data, "blobs", sum[:2], sum[2:])
}

// Whole is all that a reply tells, apart from when and which request it answers.
func (r *Reply) Whole() string {
	h := r.Header.Clone()
	h.Del("Date")
	h.Del("X-Request-Id")
	return fmt.Sprintf("%d %q %q", r.StatusCode, h, r.Bytes)
}

// Previews waits until a file has a state of its preview, and returns the file.
func (c Client) Previews(file, state string) (f map[string]any) {
	c.Server.T.Helper()
	c.Server.Eventually(file+" has "+state, func() bool {
		f = c.Get(file).Is(200).Object()
		return f["preview_state"] == state
	})
	return f
}

const PartSize = 10 << 20

// Put sends a part whole.
func (s *Server) Put(upload string, n int, data []byte) *Reply {
	s.T.Helper()
	return s.Anon.Do("PUT", fmt.Sprint(upload, "/", n), bytes.NewReader(data))
}
