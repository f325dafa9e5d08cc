package main

import (
	"context"
	"fmt"
	"os/exec"
	"time"
)

// times is how often the large file is downloaded for one sample: processor time is told in
// hundredths of a second.
const times = 12

// downloads takes the large file from Alcove and from nginx. Its first download since the server
// started compares every chunk, and is a sample of its own.
func (r *filesRun) downloads(ctx context.Context, over string, ours, nginx *server) error {
	type contender struct {
		name string
		s    *server
		url  string
		n    int
		how  string
	}
	list := []contender{
		{"nginx, warming", nginx, nginx.base() + "/large", 1, "--http1.1"}, {"Alcove, first since start", ours, ours.base() + "/files/1", 1, "--http1.1"},
		{"nginx", nginx, nginx.base() + "/large", times, "--http1.1"}, {"Alcove", ours, ours.base() + "/files/1", times, "--http1.1"},
	}
	if ours.secure {
		list = append(list, contender{"Alcove, HTTP/2", ours, ours.base() + "/files/1", times, "--http2"})
	}
	for _, c := range list {
		wall, cpu, err := r.timed(c.s, func() error {
			for range c.n {
				if _, err := r.curl(ctx, c.how, "-o", "/dev/null", c.url); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		mib := float64(r.size) / (1 << 20) * float64(c.n)
		r.results.add(fmt.Sprintf("download %s, %s, MiB/s", over, c.name), mib/wall.Seconds())
		r.results.add(fmt.Sprintf("download %s, %s, server CPU ms per GiB", over, c.name), cpu.Seconds()*1000/(mib/1024))
	}
	return nil
}

// timed is how long something takes, and the processor time of a server meanwhile.
func (r *filesRun) timed(s *server, do func() error) (wall, cpu time.Duration, err error) {
	before, err := cpuTime(s.pid())
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	if err := do(); err != nil {
		return 0, 0, err
	}
	wall = time.Since(start)
	after, err := cpuTime(s.pid())
	return wall, after - before, err
}

// archive takes the many files as one zip, and lets zip make one of them.
func (r *filesRun) archive(ctx context.Context, ours *server) error {
	start := time.Now()
	zip := exec.CommandContext(ctx, "sh", "-c", "zip -0 -q -r - . >/dev/null")
	zip.Dir = r.folder
	if out, err := zip.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot run zip: %w: %s", err, out)
	}
	r.results.add(fmt.Sprintf("archive of %d files, zip -0, ms", r.many), time.Since(start).Seconds()*1000)
	for _, name := range []string{"Alcove, first since start", "Alcove"} {
		wall, cpu, err := r.timed(ours, func() error {
			_, err := r.curl(ctx, "-o", "/dev/null", ours.base()+"/v2/articles/2/download")
			return err
		})
		if err != nil {
			return err
		}
		r.results.add(fmt.Sprintf("archive of %d files, %s, ms", r.many, name), wall.Seconds()*1000)
		r.results.add(fmt.Sprintf("archive of %d files, %s, server CPU ms", r.many, name), cpu.Seconds()*1000)
	}
	return nil
}

// crowd is fifty downloads of the large file beside four uploads, and what memory they take.
func (r *filesRun) crowd(ctx context.Context) error {
	say("fifty downloads and four uploads at once")
	ours, err := r.serve(ctx, false)
	if err != nil {
		return err
	}
	defer ours.stop()
	time.Sleep(time.Second)
	before, err := rssAnon(ours.pid())
	if err != nil {
		return err
	}
	failed := make(chan error, 54)
	for range 50 {
		go func() { // ends with its download
			_, err := r.curl(ctx, "-o", "/dev/null", "--limit-rate", "100M", ours.base()+"/files/1")
			failed <- err
		}()
	}
	for range 4 {
		go func() { // ends with its upload
			_, _, err := r.upload(ctx, ours, r.size/4, 1)
			failed <- err
		}()
	}
	most := before
	for done := 0; done < 54; {
		select {
		case err := <-failed:
			if err != nil {
				return err
			}
			done++
		case <-time.After(20 * time.Millisecond):
			n, err := rssAnon(ours.pid())
			if err != nil {
				return err
			}
			most = max(most, n)
		}
	}
	r.results.add("RssAnon of Alcove grows with 50 downloads and 4 uploads, MiB", float64(most-before)/(1<<20))
	return nil
}
