package load

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/record"
	"alcove/tests/world"
)

// BenchmarkPeople asks for pages of the people of an institution with 10,000 accounts, one after the other.
func BenchmarkPeople(b *testing.B) {
	s := world.StartWithin(b)
	const all = 10_000
	for first := 0; first < all; first += 500 {
		s.Alter(func(tx *bucket.Tx) error {
			for i := first; i < first+500; i++ {
				acc := &record.Account{Email: fmt.Sprintf("person%d@example.org", i), FirstName: "Person", LastName: fmt.Sprintf("Number %d", i), InstitutionID: accounts.InstitutionID}
				if err := accounts.Store(tx, acc); err != nil {
					return err
				}
			}
			return nil
		})
	}
	root := s.Root.SignIn()
	for _, page := range []struct{ name, query string }{
		{"list", ""}, {"page100", "?page=100"}, {"name", "?name=number+97"}, {"mail", "?name=person9876%40example.org"}, {"nothing", "?name=nobody"}, {"disabled", "?state=disabled"},
	} {
		b.Run(page.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				begun := time.Now()
				root.Open("/account/admin/people" + page.query).Is(200)
				took = append(took, time.Since(begun))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
