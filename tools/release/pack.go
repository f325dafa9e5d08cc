package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// tarball writes files below a folder.
func (r *release) tarball(w io.Writer, folder string, list []file) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range list {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: folder + "/" + f.name, Size: int64(len(f.data)), Mode: int64(f.mode), ModTime: r.time, Uname: "root", Gname: "root"}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

// zip does the same for Windows.
func (r *release) zip(w io.Writer, folder string, list []file) error {
	z := zip.NewWriter(w)
	for _, f := range list {
		h := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: r.time}
		h.SetMode(f.mode)
		out, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := out.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}

// packages makes the .deb and the .rpm of a processor.
func (r *release) packages(processor, program string, documents []file, work string) error {
	staged := filepath.Join(work, "packages")
	if err := os.RemoveAll(staged); err != nil {
		return err
	}
	if err := os.Mkdir(staged, 0o755); err != nil {
		return err
	}
	var contents files.Contents
	add := func(source, at string, mode os.FileMode) {
		contents = append(contents, &files.Content{Source: source, Destination: at, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.time}})
	}
	stage := func(data []byte, at string, mode os.FileMode) error {
		source := filepath.Join(staged, fmt.Sprintf("%d", len(contents)))
		add(source, at, mode)
		return os.WriteFile(source, data, 0o644)
	}
	add(program, "/usr/bin/alcove", 0o755)
	const doc = "/usr/share/doc/alcove/"
	for _, f := range append(documents, r.manual...) {
		at, mode, data := "", os.FileMode(0o644), f.data
		folder, name := filepath.Split(f.name)
		switch {
		case f.name == "packaging/alcove.service":
			at = "/usr/lib/systemd/system/alcove.service"
		case f.name == "packaging/alcovectl":
			at, mode = "/usr/sbin/alcovectl", 0o755
		case strings.HasPrefix(folder, "packaging/proxies/"):
			at = doc + "proxies/" + name
		case folder == "packaging/" || name == "alcove.ps1":
			continue
		case f.name == "LICENSE":
			at = doc + "copyright"
		case folder == "docs/", folder == "":
			at = doc + name
		case strings.HasPrefix(folder, "docs/"):
			at = doc + strings.TrimPrefix(f.name, "docs/")
		case name == "alcove.bash":
			at = "/usr/share/bash-completion/completions/alcove"
		case name == "_alcove":
			at = "/usr/share/zsh/vendor-completions/_alcove"
		case name == "alcove.fish":
			at = "/usr/share/fish/vendor_completions.d/alcove.fish"
		case folder == "man/":
			at, data = "/usr/share/man/man1/"+name+".gz", packed(f.data)
		default:
			return fmt.Errorf("there is no place for %s in a package", f.name)
		}
		if err := stage(data, at, mode); err != nil {
			return err
		}
	}
	for _, format := range []string{"deb", "rpm"} {
		packager, err := nfpm.Get(format)
		if err != nil {
			return err
		}
		script := func(name string) string { return filepath.Join(r.from, "packaging", name) }
		info := nfpm.WithDefaults(&nfpm.Info{
			Name: "alcove", Arch: processor, Platform: "linux", Version: r.version, VersionSchema: "semver", Release: "1",
			Section: "net", Priority: "optional", License: "Apache-2.0", MTime: r.time, DisableGlobbing: true,
			Maintainer:  "The Alcove maintainers <maintainers@alcove.invalid>",
			Description: "research data repository in one program\n A self-hosted repository for research data: articles with files, versions\n and DOIs, found by search, downloaded by everyone. It speaks the public\n figshare API v2.",
			Overridables: nfpm.Overridables{
				Contents: contents,
				Scripts:  nfpm.Scripts{PostInstall: script("postinstall.sh"), PreRemove: script("preremove.sh"), PostRemove: script("postremove.sh")},
			},
		})
		info.Overridables.RPM.BuildHost = "localhost"
		info.Overridables.RPM.Summary = "research data repository in one program"
		switch format {
		case "deb":
			info.Depends, info.Recommends = []string{"passwd", "util-linux"}, []string{"ca-certificates"}
		case "rpm":
			info.Depends, info.Recommends = []string{"shadow-utils", "util-linux"}, []string{"ca-certificates"}
		}
		var out bytes.Buffer
		if err := packager.Package(info, &out); err != nil {
			return fmt.Errorf("cannot make the .%s: %w", format, err)
		}
		if err := r.write(packager.ConventionalFileName(info), out.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// packed is gzip without a name and a time.
func packed(data []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	z.Write(data)
	z.Close()
	return b.Bytes()
}
