package handlers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/textproto"
	"path"
	"strings"

	"alcove/bucket"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/uploads"
)

// maxFormHead bounds the bytes of a form that come before those of its file.
const maxFormHead = 16 << 10

// ErrFormFile is the refusal of a form that has no file, or more than that.
var ErrFormFile error = record.Bad("FileMissing", "The body must be a form (multipart/form-data) with one file and nothing else")

// FormUpload takes the file of a form of a page into the own article of the path. The bytes go where those of parts
// go, in the same order, while they arrive: the size is known beforehand from the length of the body, as the form has
// nothing beside the file. A file of which not all arrives is deleted again.
func (a *API) FormUpload(c *endpoint.Call) error {
	if err := endpoint.SameOrigin.Check(c.Request); err != nil {
		return record.ErrOtherOrigin
	}
	err := a.DB.View(func(tx *bucket.Tx) error {
		_, err := c.OwnArticle(tx)
		return err
	})
	if err != nil {
		return err
	}
	body := bufio.NewReaderSize(stalling(c, c.Request.Body), maxFormHead)
	name, size, end, err := formHead(body, c.Header.Get("Content-Type"), c.Request.ContentLength)
	if err != nil {
		return err
	}
	r, err := c.Write(func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		return a.FileCreate(c, tx, &record.FileBody{Name: &name, Size: &size})
	})
	if err != nil {
		return err
	}
	id := path.Base(r.Location)
	if !c.Named("file_id", id) {
		return fmt.Errorf("cannot find the file at %s", r.Location)
	}
	if err = a.formBytes(c, body, end); err == nil {
		_, err = a.FileComplete(c)
	}
	if err != nil {
		c.Context = context.WithoutCancel(c.Context) // a client that has gone leaves nothing
		err = errors.Join(err, a.RemoveFile(c, id))
	}
	return err
}

// formHead reads a form up to the first byte of its file. end is what follows the last one.
func formHead(body *bufio.Reader, kind string, length int64) (name string, size int64, end string, err error) {
	kind, parameters, err := mime.ParseMediaType(kind)
	boundary := parameters["boundary"]
	if err != nil || kind != "multipart/form-data" || boundary == "" || len(boundary) > 70 || length <= 0 {
		return "", 0, "", ErrFormFile
	}
	end = "\r\n--" + boundary + "--\r\n"
	head, lines := int64(0), []string{}
	for {
		line, err := body.ReadSlice('\n')
		if head += int64(len(line)); err != nil || head > maxFormHead {
			return "", 0, "", ErrFormFile
		}
		text := strings.TrimRight(string(line), "\r\n")
		if len(lines) == 0 && text != "--"+boundary {
			return "", 0, "", ErrFormFile
		}
		if lines = append(lines, text); text == "" {
			break
		}
	}
	for _, line := range lines[1:] {
		field, value, _ := strings.Cut(line, ":")
		if textproto.CanonicalMIMEHeaderKey(field) == "Content-Disposition" {
			_, parameters, err := mime.ParseMediaType(value)
			if err != nil {
				return "", 0, "", ErrFormFile
			}
			name = strings.NewReplacer("%22", `"`, "%0D", "", "%0A", " ").Replace(strings.ToValidUTF8(parameters["filename"], ""))
		}
	}
	size = length - head - int64(len(end))
	if name == "" || size < 0 {
		return "", 0, "", ErrFormFile
	}
	return name, size, end, nil
}

// formBytes writes the parts of a file, and looks that nothing follows them but the end of the form.
func (a *API) formBytes(c *endpoint.Call, body io.Reader, end string) error {
	var f *record.File
	err := a.DB.View(func(tx *bucket.Tx) (err error) {
		_, f, err = c.OwnFile(tx)
		return err
	})
	if err != nil {
		return err
	}
	layout := uploads.NewLayout(f.Size)
	for n := 1; n <= layout.Count(); n++ {
		part, _ := layout.Part(n)
		if err := a.takePart(c, f, layout, part, io.LimitReader(body, part.Len())); err != nil {
			return err
		}
	}
	rest, err := io.ReadAll(io.LimitReader(body, int64(len(end))+1))
	if err != nil {
		return record.ErrPartInterrupted
	}
	if string(rest) != end {
		return ErrFormFile
	}
	return nil
}
