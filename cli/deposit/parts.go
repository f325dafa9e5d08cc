package deposit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
)

// plan is what the upload service says of an upload.
type plan struct {
	Parts []part `json:"parts"`
}

// part is a range of the file; both offsets are inclusive.
type part struct {
	No     int    `json:"partNo"`
	Start  int64  `json:"startOffset"`
	End    int64  `json:"endOffset"`
	Status string `json:"status"`
}

const partComplete = "COMPLETE"

// check tells whether the parts, in their order, are exactly a file of that size.
func (p *plan) check(size int64) error {
	if size == 0 {
		// A server may plan one empty part or none; how it writes the end of
		// an empty range is its own affair.
		for i := range p.Parts {
			p.Parts[i].Start, p.Parts[i].End = 0, -1
		}
		return nil
	}
	var at int64
	for _, part := range p.Parts {
		if part.Start != at || part.End < part.Start || part.End >= size {
			return fmt.Errorf("the server plans part %d from %d to %d, which does not fit", part.No, part.Start, part.End)
		}
		at = part.End + 1
	}
	if at != size {
		return fmt.Errorf("the server plans parts for %d bytes, the file has %d", at, size)
	}
	return nil
}

// send puts the parts that the server lacks and completes the upload. When the
// server refuses to complete, the parts are looked at again.
func (d *depositor) send(ctx context.Context, u *upload, f serverFile) error {
	address, err := d.api.uploadURL(f.UploadURL)
	if err != nil {
		return err
	}
	local, err := d.input.dir.Open(u.local.path)
	if err != nil {
		return err
	}
	defer local.Close()
	for round := 0; ; round++ {
		if err := d.sendParts(ctx, u, address, local); err != nil {
			return err
		}
		err := d.complete(ctx, u, f.ID)
		var reply *replyError
		if err == nil || round == 2 || !errors.As(err, &reply) || reply.Status >= 500 {
			return err
		}
		if err := d.clock.sleep(ctx, firstPause<<round); err != nil {
			return err
		}
	}
}

// uploadURL resolves the address of an upload. It needs no token: it holds one.
func (c *client) uploadURL(given string) (*url.URL, error) {
	base, err := url.Parse(c.base + "/")
	if err != nil {
		return nil, fmt.Errorf("cannot parse the server's address: %w", err)
	}
	if given == "" {
		return nil, errors.New("the server does not say where to upload it")
	}
	ref, err := url.Parse(given)
	if err != nil {
		return nil, errors.New("the server's upload address is not one")
	}
	address := base.ResolveReference(ref)
	if address.Host == "" || address.Scheme != base.Scheme && address.Scheme != "https" {
		return nil, errors.New("the server's upload address is not as safe as its own")
	}
	return address, nil
}

// sendParts puts every part that is not complete, several at a time.
func (d *depositor) sendParts(ctx context.Context, u *upload, address *url.URL, local io.ReaderAt) error {
	var p plan
	err := d.api.repeat(ctx, func(int) error {
		r, err := d.api.upload(ctx, http.MethodGet, address, nil)
		if err != nil {
			return err
		}
		return r.decode(&p)
	})
	if err != nil {
		return fmt.Errorf("cannot read the list of parts: %w", err)
	}
	if err := p.check(u.size); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var sending sync.WaitGroup
	for _, part := range p.Parts {
		if part.Status == partComplete {
			d.progress.skip(part.End - part.Start + 1)
			continue
		}
		select {
		case d.parts <- struct{}{}:
		case <-ctx.Done():
			continue
		}
		sending.Go(func() {
			defer func() { <-d.parts }()
			if err := d.sendPart(ctx, part, address, local); err != nil {
				stop(err)
			}
		})
	}
	sending.Wait()
	return context.Cause(ctx)
}

// sendPart puts one part, again if it is locked or the connection fails.
func (d *depositor) sendPart(ctx context.Context, part part, address *url.URL, local io.ReaderAt) error {
	err := d.api.retry(ctx, func(int) error {
		c := &counted{of: local, to: d.progress}
		body := io.NewSectionReader(c, part.Start, part.End-part.Start+1)
		_, err := d.api.upload(ctx, http.MethodPut, address.JoinPath(strconv.Itoa(part.No)), body)
		if err != nil {
			d.progress.add(-c.n.Load())
		}
		return err
	}, func(err error) bool {
		var reply *replyError
		return passing(err) || errors.As(err, &reply) && reply.Status == http.StatusConflict
	})
	if err != nil {
		return fmt.Errorf("part %d: %w", part.No, err)
	}
	return nil
}

// upload calls the upload service, without the token of the account.
func (c *client) upload(ctx context.Context, method string, address *url.URL, body *io.SectionReader) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, partTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address.String(), nil)
	if err != nil {
		return reply{}, fmt.Errorf("cannot make the request: %w", err)
	}
	if body != nil && body.Size() > 0 {
		req.ContentLength = body.Size()
		req.Body = io.NopCloser(body)
		req.GetBody = func() (io.ReadCloser, error) {
			return io.NopCloser(io.NewSectionReader(body, 0, body.Size())), nil
		}
		req.Header.Set("Content-Type", "application/octet-stream")
	}
	return c.do(req)
}

// complete tells the server that all parts are there. A lost reply is no reason
// to say it twice: the state of the file tells whether it was heard. Nor is a refusal an
// error of a file that is complete: a run that was killed may be heard only now.
func (d *depositor) complete(ctx context.Context, u *upload, id int64) error {
	path := fmt.Sprintf("%s/%d", u.path(), id)
	heard := func() (bool, error) {
		r, err := d.api.call(ctx, http.MethodGet, path, nil)
		if err != nil {
			return false, err
		}
		var f serverFile
		err = r.decode(&f)
		return err == nil && f.Status != fileCreated, err
	}
	err := d.api.repeat(ctx, func(try int) error {
		if try > 0 {
			if done, err := heard(); done || err != nil {
				return err
			}
		}
		_, err := d.api.call(ctx, http.MethodPost, path, nil)
		return err
	})
	var reply *replyError
	if errors.As(err, &reply) && reply.Status < 500 {
		if done, _ := heard(); done {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("cannot complete the upload: %w", err)
	}
	return nil
}
