package handlers

import (
	"errors"
	"io"
	"net/http"
	"time"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/uploads"
)

// UploadRead is the state of an upload and its parts. The token in the
// path is the credential.
func (a *API) UploadRead(c *endpoint.Call) (endpoint.Reply, error) {
	var info present.UploadInfo
	err := a.DB.View(func(tx *bucket.Tx) error {
		f, err := endpoint.UploadFile(tx, c.Text("token"))
		if err != nil {
			return err
		}
		parts := []present.Part{}
		layout := uploads.NewLayout(f.Size)
		for n := 1; n <= layout.Count(); n++ {
			p, _ := layout.Part(n)
			parts = append(parts, a.part(tx, f, p))
		}
		info = present.NewUploadInfo(f, parts)
		return nil
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	return compact(info)
}

// UploadPartRead is the state of one part.
func (a *API) UploadPartRead(c *endpoint.Call) (endpoint.Reply, error) {
	var part present.Part
	err := a.DB.View(func(tx *bucket.Tx) error {
		f, err := endpoint.UploadFile(tx, c.Text("token"))
		if err != nil {
			return err
		}
		p, ok := uploads.NewLayout(f.Size).Part(int(c.ID("part")))
		if !ok {
			return record.ErrUploadUnknown
		}
		part = a.part(tx, f, p)
		return nil
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	return compact(part)
}

// part is a part as it is now. Of a file whose upload has been completed all parts are,
// and none is locked any more.
func (a *API) part(tx *bucket.Tx, f *record.File, p uploads.Part) present.Part {
	done := f.Status == record.FileAvailable
	complete := done || files.Parts.Has(tx, bucket.Pair{A: f.ID, B: int64(p.No)})
	return present.NewPart(p.No, p.Start, p.End, complete, !done && a.Uploads.Locked(f.Token, p.No))
}

// compact is a reply in the text style of the upload service.
func compact(v any) (endpoint.Reply, error) {
	b, err := present.Compact(v)
	return endpoint.Reply{Raw: b}, err
}

// UploadPartWrite takes the bytes of a part. The part counts as complete only when they
// are on the disk, and from the moment they are being overwritten it does not count
// (package uploads draws the order).
func (a *API) UploadPartWrite(c *endpoint.Call) (endpoint.Reply, error) {
	f, layout, err := a.openUpload(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	part, ok := layout.Part(int(c.ID("part")))
	if !ok {
		return endpoint.Reply{}, record.ErrUploadUnknown
	}
	switch length := c.Request.ContentLength; {
	case length >= 0 && length < part.Len():
		return endpoint.Reply{}, record.ErrPartShort
	case length > part.Len():
		return endpoint.Reply{}, record.ErrPartLong
	}
	if err := a.takePart(c, f, layout, part, stalling(c, c.Request.Body)); err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Raw: []byte("OK"), Type: "text/plain; charset=utf-8"}, nil
}

// takePart writes a part, and then notes that it is there.
func (a *API) takePart(c *endpoint.Call, f *record.File, layout uploads.Layout, part uploads.Part, body io.Reader) error {
	w, err := a.Uploads.Begin(f.Token, layout, part.No)
	if err != nil {
		return uploadRefusal(err)
	}
	defer a.release(w, f)
	key := bucket.Pair{A: f.ID, B: int64(part.No)}
	if err := a.clearPart(c, key); err != nil {
		return err
	}
	crc, err := w.WriteFrom(c.Context, body)
	if err != nil {
		return uploadRefusal(err)
	}
	return a.DB.Update(c.Context, 0, func(tx *bucket.Tx) error {
		if _, err := a.stillOpen(tx, f.ID); err != nil {
			return err
		}
		return files.Parts.Put(tx, key, &record.Part{CRC32C: crc, Size: part.Len(), Arrived: tx.Now()})
	})
}

// UploadPartDelete puts a part back to pending.
func (a *API) UploadPartDelete(c *endpoint.Call) (endpoint.Reply, error) {
	f, layout, err := a.openUpload(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if _, ok := layout.Part(int(c.ID("part"))); !ok {
		return endpoint.Reply{}, record.ErrUploadUnknown
	}
	w, err := a.Uploads.Begin(f.Token, layout, int(c.ID("part")))
	if err != nil {
		return endpoint.Reply{}, uploadRefusal(err)
	}
	defer a.release(w, f)
	if err := a.clearPart(c, bucket.Pair{A: f.ID, B: c.ID("part")}); err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Raw: []byte{}, Type: "text/plain; charset=utf-8"}, nil
}

// release unlocks a part. An integrity check that met the lock is tried again.
func (a *API) release(w *uploads.Writer, f *record.File) {
	w.Release()
	a.Jobs.CheckSoon(f.Size)
}

// openUpload is the file of the path's token if its upload still takes parts.
func (a *API) openUpload(c *endpoint.Call) (f *record.File, layout uploads.Layout, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		if f, err = endpoint.UploadFile(tx, c.Text("token")); err != nil {
			return err
		}
		f, err = a.stillOpen(tx, f.ID)
		return err
	})
	if err != nil {
		return nil, layout, err
	}
	return f, uploads.NewLayout(f.Size), nil
}

// stillOpen is a file whose upload takes parts.
func (a *API) stillOpen(tx *bucket.Tx, id int64) (*record.File, error) {
	f, err := files.Files.Get(tx, id)
	switch {
	case errors.Is(err, bucket.ErrNotFound):
		return nil, record.ErrUploadUnknown
	case err != nil:
		return nil, err
	case f.Status != record.FileCreated || f.Dropped:
		return nil, record.ErrUploadClosed
	}
	return f, nil
}

// clearPart makes a part count as not there. It writes only when the part counted.
func (a *API) clearPart(c *endpoint.Call, key bucket.Pair) error {
	var had bool
	err := a.DB.View(func(tx *bucket.Tx) error {
		had = files.Parts.Has(tx, key)
		_, err := a.stillOpen(tx, key.A)
		return err
	})
	if err != nil || !had {
		return err
	}
	return a.DB.Update(c.Writing(), 0, func(tx *bucket.Tx) error {
		if _, err := a.stillOpen(tx, key.A); err != nil {
			return err
		}
		if !files.Parts.Has(tx, key) {
			return nil
		}
		return files.Parts.Delete(tx, key)
	})
}

// uploadRefusal turns an error of package uploads into the answer for the client; what
// is the disk's fault stays as it is.
func uploadRefusal(err error) error {
	var body *uploads.BodyError
	switch {
	case errors.Is(err, uploads.ErrLocked):
		return record.ErrPartLocked
	case errors.Is(err, uploads.ErrRemoved), errors.Is(err, uploads.ErrNoSuchPart), errors.Is(err, uploads.ErrBadToken):
		return record.ErrUploadUnknown
	case errors.Is(err, uploads.ErrShort):
		return record.ErrPartShort
	case errors.Is(err, uploads.ErrLong):
		return record.ErrPartLong
	case errors.As(err, &body):
		return record.ErrPartInterrupted
	}
	return err
}

// step is how many bytes of a part must come in within the stall timeout: with a minute a
// line of 1 kB a second is fast enough.
const step = 64 << 10

// stalling is a body that fails when less than a step arrives within the stall timeout: a
// slow client is served as long as it goes on, and one that sends a byte now and then, only
// to keep the part locked, is not.
func stalling(c *endpoint.Call, body io.Reader) io.Reader {
	return &stallReader{body: body, control: http.NewResponseController(c.Writer), patient: c.Server.Limits.StallTimeout}
}

type stallReader struct {
	body    io.Reader
	control *http.ResponseController
	patient time.Duration
	begun   bool
	come    int // bytes since the deadline was set
}

func (s *stallReader) Read(b []byte) (int, error) {
	if !s.begun || s.come >= step {
		s.control.SetReadDeadline(time.Now().Add(s.patient))
		s.begun, s.come = true, 0
	}
	n, err := s.body.Read(b)
	s.come += n
	if err != nil {
		s.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// unreservedBytes is how many bytes of the disk are neither used nor announced by an upload.
func unreservedBytes(c *endpoint.Call, tx *bucket.Tx) int64 {
	return c.Free - c.Server.DiskReserve() - files.BytesAnnounced.Sum(tx) + files.BytesArrived.Sum(tx)
}

// accepted is the body of the reply to a completed upload: public clients expect HTML.
const accepted = "<html>\n <head>\n  <title>202 Accepted</title>\n </head>\n <body>\n  <h1>202 Accepted</h1>\n" +
	"  The file was received and is being checked.<br /><br />\n </body>\n</html>\n"

// maxNamedParts bounds how many missing parts a refusal names, the first ones.
const maxNamedParts = 100

// FileComplete ends an upload: all parts must be there. The check
// of the bytes follows in the background; completing again is harmless.
func (a *API) FileComplete(c *endpoint.Call) (endpoint.Reply, error) {
	var file *record.File
	r, err := c.Write(func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		_, f, err := c.OwnFile(tx)
		if err != nil {
			return endpoint.Reply{}, err
		}
		file = f
		switch f.Status {
		case record.FileFailed:
			return endpoint.Reply{}, record.ErrFileFailed.With("reason", f.Failure)
		case record.FileCreated:
			if err := a.completeUpload(tx, f); err != nil {
				return endpoint.Reply{}, err
			}
		}
		at := a.Settings.API("/account/articles/%d/files/%d", f.ArticleID, f.ID)
		return endpoint.Reply{Status: 202, Location: at, Raw: []byte(accepted), Type: "text/html; charset=UTF-8"}, nil
	})
	if err == nil && file.Status == record.FileChecking {
		a.Jobs.CheckSoon(file.Size)
	}
	return r, err
}

func (a *API) completeUpload(tx *bucket.Tx, f *record.File) error {
	missing := []int{}
	layout := uploads.NewLayout(f.Size)
	for n := 1; n <= layout.Count() && len(missing) < maxNamedParts; n++ {
		if !files.Parts.Has(tx, bucket.Pair{A: f.ID, B: int64(n)}) || a.Uploads.Locked(f.Token, n) {
			missing = append(missing, n)
		}
	}
	if len(missing) > 0 {
		return record.ErrPartsMissing.With("missing_parts", missing)
	}
	f.Status, f.Failure, f.Modified = record.FileChecking, "", tx.Now()
	return files.Files.Put(tx, f.ID, f)
}
