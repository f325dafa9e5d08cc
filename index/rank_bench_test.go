package index

import (
	"context"
	"strings"
	"testing"
)

// BenchmarkTop is what the order of relevance costs.
func BenchmarkTop(b *testing.B) {
	w := ranked(0.001, 0.03, 0.1, 0.32, 0.34)
	for _, s := range []struct{ name, text string }{
		{"0.1percent", w[0]}, {"32percent", w[3]}, {"five_words", strings.Join(w, " ")}, {"phrase_32and34percent", `"` + w[3] + " " + w[4] + `"`},
	} {
		b.Run(s.name, func(b *testing.B) {
			ix, _ := benched()
			for b.Loop() {
				m, err := ix.Match(context.Background(), PublicItems, parsed(s.text))
				if err != nil {
					b.Fatal(err)
				}
				got := Top(m, 200)
				if err := m.Close(); err != nil || len(got) == 0 && !strings.HasPrefix(s.text, `"`) {
					b.Fatal(err, len(got))
				}
			}
		})
	}
}
