// Package sentence says errors to people.
package sentence

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
)

// Of is the text of an error as a person reads it: what Go's packages say of networks, certificates, files and numbers
// is replaced by what happened and what to do. The rest of the text stays.
func Of(err error) string {
	text := err.Error()
	var number *strconv.NumError
	if value, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return strings.Replace(text, value.Error(), wrongValue(value), 1)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		text = strings.Replace(text, u.Error(), u.Err.Error(), 1)
	}
	raw, said := network(err)
	if said == "" {
		raw, said = certificate(err)
	}
	if said == "" {
		raw, said = file(err)
	}
	switch {
	case said != "":
	case errors.Is(err, context.Canceled):
		raw, said = context.Canceled.Error(), "stopped before the end; the same command does the rest"
	case errors.Is(err, context.DeadlineExceeded):
		raw, said = context.DeadlineExceeded.Error(), "it took too long; try again later"
	case errors.As(err, &number):
		raw, said = number.Error(), fmt.Sprintf("%q is no whole number", number.Num)
	}
	if said == "" {
		return text
	}
	if !strings.Contains(text, raw) {
		return text + ": " + said
	}
	return strings.Replace(text, raw, said, 1)
}

// wrongValue tells what a flag takes.
func wrongValue(e *pflag.InvalidValueError) string {
	f := e.GetFlag()
	wanted := ""
	switch f.Value.Type() {
	case "int", "int64":
		wanted = "a whole number"
	case "bool":
		wanted = "true or false"
	case "duration":
		wanted = "a duration such as 30s or 5m"
	default:
		return fmt.Sprintf("--%s: %s", f.Name, e.Unwrap())
	}
	if _, err := strconv.ParseInt(e.GetValue(), 10, 64); errors.Is(err, strconv.ErrRange) {
		wanted += " that is not so large"
	}
	return fmt.Sprintf("--%s takes %s, not %q", f.Name, wanted, e.GetValue())
}

// network is the text of a failed connection, and what to say instead.
func network(err error) (raw, said string) {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		raw = dns.Error()
		if op, ok := errors.AsType[*net.OpError](err); ok {
			raw = op.Error()
		}
		if dns.IsNotFound {
			return raw, fmt.Sprintf("there is no host named %s: look at the address again", dns.Name)
		}
		return raw, fmt.Sprintf("the name %s cannot be looked up: look whether this machine has a network", dns.Name)
	}
	if head, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return head.Error(), "no TLS is spoken there: the address may have to begin with http://"
	}
	if text := err.Error(); strings.Contains(text, "server gave HTTP response to HTTPS client") {
		return "http: server gave HTTP response to HTTPS client", "no TLS is spoken there: the address has to begin with http://"
	}
	op, ok := errors.AsType[*net.OpError](err)
	if !ok {
		return "", ""
	}
	where := ""
	if op.Addr != nil {
		where = " at " + op.Addr.String()
	}
	switch text := op.Error(); {
	case op.Op == "listen" && errors.Is(err, syscall.EADDRINUSE), strings.Contains(text, "Only one usage of each socket address"):
		return text, fmt.Sprintf("another program listens%s already: stop it, or choose another port", where)
	case op.Op == "listen" && errors.Is(err, syscall.EADDRNOTAVAIL):
		return text, fmt.Sprintf("this machine has no address %s to listen on: look at --listen", op.Addr)
	case op.Op == "listen" && errors.Is(err, fs.ErrPermission):
		return text, fmt.Sprintf("not allowed to listen%s: choose a port from 1024 on, or give the program CAP_NET_BIND_SERVICE", where)
	case errors.Is(err, syscall.ECONNREFUSED), strings.Contains(text, "actively refused"):
		return text, fmt.Sprintf("nothing answers%s: look at the address, and whether the server runs", where)
	case op.Timeout():
		return text, fmt.Sprintf("no answer came%s: look at the address and the network", where)
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return text, fmt.Sprintf("no way leads to the server%s: look at the network", where)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return text, "the server ended the connection: try again"
	}
	return "", ""
}

// certificate is the text of a certificate that was not accepted, and what to say instead.
func certificate(err error) (raw, said string) {
	refused, ok := errors.AsType[*tls.CertificateVerificationError](err)
	if !ok {
		return "", ""
	}
	raw = refused.Error()
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &host):
		return raw, fmt.Sprintf("the certificate of the server is not for %s: use the name that it is for", host.Host)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return raw, "the certificate of the server has expired or is not valid yet: look at the clock of this machine, or tell who runs the server"
	}
	return raw, "the certificate of the server is of an authority that this machine does not know: give that with --cacert (alcove makes it as tls/ca.pem in its data directory)"
}

// file is the text of a file that could not be used, and what to say instead.
func file(err error) (raw, said string) {
	path, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		if errors.Is(err, syscall.ENOSPC) {
			return syscall.ENOSPC.Error(), "the disk is full: make room and try again"
		}
		return "", ""
	}
	switch {
	case errors.Is(path, fs.ErrPermission):
		return path.Error(), fmt.Sprintf("no permission for %s: run it as the user that owns it", path.Path)
	case errors.Is(path, fs.ErrNotExist):
		return path.Error(), fmt.Sprintf("there is no %s", path.Path)
	case errors.Is(path, syscall.ENOSPC):
		return path.Error(), "the disk is full: make room and try again"
	case errors.Is(path, syscall.EROFS):
		return path.Error(), fmt.Sprintf("%s is on a file system that can only be read", path.Path)
	case errors.Is(path, syscall.EISDIR):
		return path.Error(), fmt.Sprintf("%s is a folder, not a file", path.Path)
	case errors.Is(path, syscall.ENOTDIR):
		return path.Error(), fmt.Sprintf("a part of %s is a file, not a folder", path.Path)
	}
	return "", ""
}
