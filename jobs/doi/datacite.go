package doi

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"alcove/record"
)

// DataCite is the REST API of DataCite (support.datacite.org/reference): JSON:API over HTTPS, with the account of a
// repository.
type DataCite struct {
	Address      string // https://api.datacite.org or of its test system, without a slash at the end
	Account      string // such as ORG.REPO
	PasswordFile string
	client       *http.Client
}

// NewDataCite is a client of the API.
func NewDataCite(address, account, passwordFile string) *DataCite {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	return &DataCite{address, account, passwordFile, &http.Client{
		Transport: transport, Timeout: answerTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

const (
	answerTime = 30 * time.Second
	answerMost = 4 << 20 // bytes that are read of an answer
)

// Refused is an answer of the registrar that is no success.
type Refused struct {
	Status  int // 0 where nothing was asked
	Message string
	Cause   string        // where nothing was asked
	Wait    time.Duration // that it asks for, 0 for none
}

func (e *Refused) Error() string {
	if e.Status == 0 {
		return e.Message
	}
	return fmt.Sprintf("the registrar answered %d: %s", e.Status, e.Message)
}

// account reports whether our account is refused, whatever the DOI.
func (e *Refused) account() bool { return e.Status == http.StatusUnauthorized }

// foreign reports whether our account may not have this DOI: its prefix is another one's. The others are not concerned.
func (e *Refused) foreign() bool {
	return e.Status == http.StatusForbidden || e.Status == http.StatusNotFound
}

// busy reports whether the same may succeed later.
func (e *Refused) busy() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout || e.Status >= 500 || e.Status >= 300 && e.Status < 400
}

// events make a state of any other.
var events = map[string]string{record.DOIFindable: "publish", record.DOIHidden: "hide"}

type dataciteBody struct {
	Data struct {
		Type       string         `json:"type"`
		Attributes map[string]any `json:"attributes"`
	} `json:"data"`
}

type dataciteAnswer struct {
	Data struct {
		Attributes struct {
			State  string `json:"state"`
			URL    string `json:"url"`
			Titles []struct {
				Title string `json:"title"`
			} `json:"titles"`
		} `json:"attributes"`
	} `json:"data"`
	Errors []struct {
		Title  string `json:"title"`
		Source string `json:"source"`
	} `json:"errors"`
}

// Put creates or changes a DOI. It is not done before the answer says so.
func (d *DataCite) Put(ctx context.Context, doi, state, address string, metadata map[string]any) error {
	var body dataciteBody
	body.Data.Type = "dois"
	body.Data.Attributes = map[string]any{"doi": doi}
	maps.Copy(body.Data.Attributes, metadata)
	if event := events[state]; event != "" {
		body.Data.Attributes["event"], body.Data.Attributes["url"] = event, address
	}
	known, err := d.call(ctx, http.MethodPut, doi, body)
	if err != nil {
		return err
	}
	if known.State != state || state != record.DOIDraft && known.URL != address {
		return fmt.Errorf("the registrar has taken %s, but says that it is %s and leads to %q", doi, known.State, known.URL)
	}
	return nil
}

// Get implements Registrar.
func (d *DataCite) Get(ctx context.Context, doi string) (Known, error) {
	known, err := d.call(ctx, http.MethodGet, doi, nil)
	var e *Refused
	if errors.As(err, &e) && e.Status == http.StatusNotFound {
		return Known{}, ErrUnknown
	}
	return known, err
}

// Delete implements Registrar.
func (d *DataCite) Delete(ctx context.Context, doi string) error {
	_, err := d.call(ctx, http.MethodDelete, doi, nil)
	var e *Refused
	if errors.As(err, &e) && e.Status == http.StatusNotFound {
		return nil
	}
	return err
}

func (d *DataCite) call(ctx context.Context, method, doi string, body any) (known Known, err error) {
	password, err := os.ReadFile(d.PasswordFile)
	if err != nil {
		return known, fmt.Errorf("cannot read the password for the registrar: %w", err)
	}
	var sent io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return known, err
		}
		sent = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, d.Address+"/dois/"+doi, sent)
	if err != nil {
		return known, err
	}
	r.SetBasicAuth(d.Account, strings.TrimRight(string(password), "\r\n"))
	r.Header.Set("Accept", "application/vnd.api+json")
	r.Header.Set("User-Agent", "Alcove")
	if body != nil {
		r.Header.Set("Content-Type", "application/vnd.api+json")
	}
	answer, err := d.client.Do(r)
	if err != nil {
		return known, fmt.Errorf("cannot reach the registrar: %w", err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(io.LimitReader(answer.Body, answerMost))
	if err != nil {
		return known, fmt.Errorf("the answer of the registrar broke off: %w", err)
	}
	var says dataciteAnswer
	unread := json.Unmarshal(b, &says)
	if answer.StatusCode >= 300 {
		e := &Refused{Status: answer.StatusCode, Message: http.StatusText(answer.StatusCode)}
		for i, one := range says.Errors {
			if i == 0 {
				e.Message = ""
			} else {
				e.Message += "; "
			}
			if one.Source != "" {
				e.Message += one.Source + ": "
			}
			e.Message += one.Title
		}
		e.Message = e.Message[:min(len(e.Message), 1000)]
		if n, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && n > 0 {
			e.Wait = time.Duration(n) * time.Second
		}
		return known, e
	}
	if method == http.MethodDelete {
		return known, nil
	}
	if unread != nil {
		return known, fmt.Errorf("cannot read the answer of the registrar: %w", unread)
	}
	known.State, known.URL = says.Data.Attributes.State, says.Data.Attributes.URL
	if t := says.Data.Attributes.Titles; len(t) > 0 {
		known.Title = t[0].Title
	}
	return known, nil
}
