package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// startNginx serves the captured list page as a file, in one process. It is nil when
// nginx is not installed.
func startNginx(ctx context.Context, dir string, cert *certificate, page []byte) (*server, error) {
	program, err := exec.LookPath("nginx")
	if err != nil {
		return nil, nil
	}
	root := filepath.Join(dir, "nginx")
	listen, err := freeAddress()
	if err != nil {
		return nil, err
	}
	how, keys := listen, ""
	if cert != nil {
		how, keys = listen+" ssl", fmt.Sprintf("ssl_certificate %s; ssl_certificate_key %s;", cert.cert, cert.key)
	}
	conf := fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/error.log;
events { worker_connections 1024; }
http {
  access_log %[1]s/access.log; sendfile on; open_file_cache max=10; keepalive_requests 100000000; default_type application/json;
  client_body_temp_path %[1]s/a; proxy_temp_path %[1]s/b; fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;
  server { listen %[2]s; root %[1]s/root; %[3]s }
}
`, root, how, keys)
	if err := os.MkdirAll(filepath.Join(root, "root"), 0o700); err != nil {
		return nil, fmt.Errorf("cannot set up nginx: %w", err)
	}
	for path, text := range map[string][]byte{"nginx.conf": []byte(conf), "root/list": page} {
		if err := os.WriteFile(filepath.Join(root, path), text, 0o600); err != nil {
			return nil, fmt.Errorf("cannot set up nginx: %w", err)
		}
	}
	return startServer(ctx, dir, "nginx", listen, "/list", cert != nil, program,
		"-p", root, "-c", filepath.Join(root, "nginx.conf"), "-e", filepath.Join(root, "error.log"))
}
