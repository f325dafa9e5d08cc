package config

import "testing"

func TestCheckPath(t *testing.T) {
	for _, path := range []string{"", "a", "/a:b", "./s3://bucket", "dir/s3:x", `C:\data`, `c:/data`, "../a:b/c", "20261122T10:30", "a b: c", "@:", "/srv/me@host:/x"} {
		if err := CheckPath(path); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
	for _, path := range []string{"s3://bucket/x", "s3:bucket", "S3://x", "file:///x", "sftp:me@host:/x", "host:/x", "me@host:x", "me@192.0.2.1:/x", "git+ssh://x", "x-y:z"} {
		if CheckPath(path) == nil {
			t.Errorf("%q is taken for a path", path)
		}
	}
}
