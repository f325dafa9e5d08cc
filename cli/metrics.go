package cli

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"alcove/handlers/wire"
	"alcove/index"
	"alcove/record"
)

// metricsListener tells the figures of a server in the text format of Prometheus, version 0.0.4,
// on a listener of its own. They hold no name, title or address.
type metricsListener struct {
	http *http.Server
	done chan struct{}
}

// listenMetrics begins to tell the figures of a server; at no address it does nothing.
func listenMetrics(address string, s *Server) (*metricsListener, error) {
	if address == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen for metrics on %s: %w", address, err)
	}
	s.Config.MetricsListen = l.Addr().String()
	started := time.Now()
	mux := http.NewServeMux()
	hosts := wire.NewHosts(s.Config.Hosts())
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if !hosts.Answers(r) {
			http.Error(w, record.ErrMisdirected.Message, http.StatusMisdirectedRequest)
			return
		}
		text, err := s.figures(started)
		if err != nil {
			s.log.Error("cannot tell the metrics", "error", err)
			http.Error(w, "The figures cannot be read", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(text) // who has gone away gets none
	})
	m := &metricsListener{http: &http.Server{
		Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}, done: make(chan struct{})}
	go func() { // ends with close
		defer close(m.done)
		if err := m.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("the metrics are told no more", "error", err)
		}
	}()
	return m, nil
}

// close ends what is under way, too: the store is closed next.
func (m *metricsListener) close() {
	_ = m.http.Close()
	<-m.done
}

// figures are all metrics as text.
func (s *Server) figures(started time.Time) ([]byte, error) {
	open, err := s.api.Jobs.OpenUploads()
	if err != nil {
		return nil, err
	}
	var t exposition
	t.family("alcove_build_info", "gauge", "Always 1; the version is a label.")
	t.sample(1, "version", version())
	t.family("alcove_start_time_seconds", "gauge", "When the server was started, in Unix seconds.")
	t.sample(seconds(started))
	t.family("alcove_store_commits_total", "counter", "Commits of the store since the start.")
	t.sample(float64(s.db.Commits()))
	t.family("alcove_store_slow_commits_total", "counter", "Commits since the start that held the writer for more than 100 ms before they went to the disk.")
	t.sample(float64(s.db.SlowCommits()))
	t.family("alcove_store_changes_total", "counter", "Entries of the change log, ever.")
	t.sample(float64(s.db.Sequence()))
	t.family("alcove_store_last_change_seconds", "gauge", "Time of the last entry of the change log in Unix seconds, 0 for none.")
	t.sample(seconds(s.db.LastChange()))
	t.family("alcove_store_stopped", "gauge", "1 after a failed commit: the store takes no writes.")
	t.sample(truth(s.db.Stopped()))
	if err := s.itemFigures(&t); err != nil {
		return nil, err
	}
	s.roomFigures(&t)
	s.databaseFigures(&t)
	s.diskFigures(&t)
	s.stateFigures(&t)
	t.family("alcove_uploads_open", "gauge", "Uploads that have begun and are not complete.")
	t.sample(float64(open))
	mails, err := s.api.Jobs.MailFigures()
	if err != nil {
		return nil, err
	}
	t.family("alcove_mail_waiting", "gauge", "Mails that wait to be sent.")
	t.sample(float64(mails.Waiting))
	t.family("alcove_mail_oldest_seconds", "gauge", "Age of the one that waits longest, 0 when there is none.")
	t.sample(mails.Oldest.Seconds())
	t.family("alcove_mail_sent_total", "counter", "Mails that the mail server took since the start.")
	t.sample(float64(mails.Sent))
	t.family("alcove_mail_failed_total", "counter", "Tries since the start that failed and are repeated.")
	t.sample(float64(mails.Failed))
	t.family("alcove_mail_dropped_total", "counter", "Mails that were given up since the start: refused, or not sent in time.")
	t.sample(float64(mails.Dropped))
	t.family("alcove_mail_notices_dropped_total", "counter", "Notices since the start that were not stored, as too many mails waited.")
	t.sample(float64(mails.Unsaid))
	if err := s.registrarFigures(&t); err != nil {
		return nil, err
	}
	if err := s.ocflFigures(&t); err != nil {
		return nil, err
	}
	if err := s.mirrorFigures(&t); err != nil {
		return nil, err
	}
	s.checkFigures(&t)
	s.repairFigures(&t)
	reports := s.index.Reports()
	for _, f := range indexFigures {
		t.family(f.name, f.kind, f.help)
		for _, r := range reports {
			t.sample(f.of(r), "index", r.Name)
		}
	}
	s.backupFigures(&t)
	t.family("alcove_http_requests_total", "counter", "Requests answered since the start, by pattern of the route and class of the status.")
	for _, a := range s.api.Requests.List() {
		t.sample(float64(a.Count), "method", a.Method, "route", a.Route, "class", a.Class)
	}
	s.requestFigures(&t)
	processFigures(&t)
	return t.text.Bytes(), nil
}

// indexFigures are the metrics of each of the two search indexes.
var indexFigures = []struct {
	name, kind, help string
	of               func(index.Report) float64
}{
	{"alcove_index_lag_changes", "gauge", "Changes of the store that a search does not see yet.", func(r index.Report) float64 { return float64(r.Lag) }},
	{"alcove_index_lag_seconds", "gauge", "Age of the oldest of these, 0 when there are none.", func(r index.Report) float64 { return r.Seconds }},
	{"alcove_index_rebuilding", "gauge", "1 while the index is being built, beside the one in use where there is one.", func(r index.Report) float64 { return truth(r.State == index.Building) }},
	{"alcove_index_failing", "gauge", "1 while the index goes on in memory, or does not follow the store at all; it tries again by itself.", func(r index.Report) float64 { return truth(r.State == index.Failing) }},
	{"alcove_index_built_total", "counter", "Times that the index was built since the start.", func(r index.Report) float64 { return float64(r.Built) }},
	{"alcove_index_failures_total", "counter", "Times that the index was found damaged, failing or of no use since the start; each is healed by building it.", func(r index.Report) float64 { return float64(r.Failed) }},
	{"alcove_index_documents", "gauge", "Items that can be found.", func(r index.Report) float64 { return float64(r.Documents) }},
	{"alcove_index_bytes", "gauge", "Bytes of the index on the disk.", func(r index.Report) float64 { return float64(r.Bytes) }},
}

func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// exposition is text in the format of Prometheus: families of samples.
type exposition struct {
	text bytes.Buffer
	name string
}

// family begins the samples of a metric. The help has no line break and no backslash.
func (t *exposition) family(name, kind, help string) {
	t.name = name
	fmt.Fprintf(&t.text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// escapes are the only ones that the values of labels have.
var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// sample adds a value; labels are name, value pairs.
func (t *exposition) sample(value float64, labels ...string) {
	t.text.WriteString(t.name)
	for i := 0; i < len(labels); i += 2 {
		t.text.WriteString(map[bool]string{true: "{", false: ","}[i == 0] + labels[i] + `="` + escapes.Replace(labels[i+1]) + `"`)
	}
	if len(labels) > 0 {
		t.text.WriteByte('}')
	}
	t.text.WriteString(" " + strconv.FormatFloat(value, 'f', -1, 64) + "\n")
}
