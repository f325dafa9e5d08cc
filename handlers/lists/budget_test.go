package lists

import "testing"

// However many of a million items match, and wherever they stand, a page costs little
// more than the cheaper of walking to its end and sorting all matches would have cost.
func TestSeekingIsNeverLong(t *testing.T) {
	const items = 1_000_000
	for _, where := range []struct {
		name  string
		first int // the matches are spread over the items from here on
		most  int // how many times the cheaper cost
	}{{"all over", 0, 2}, {"in the older half", items / 2, 3}, {"among the oldest", items - items/10, 3}} {
		for matches := 1; matches < items/12; matches = matches*3/2 + 1 {
			for _, wanted := range []int{1, 10, 1000} {
				if wanted > matches {
					continue
				}
				apart := (items - where.first) / matches
				s := &scanBudget{ids: make(numbers, matches), wanted: wanted}
				sorting := loadCost * matches
				met, cost := 0, 0
				for i := 1; i <= items && met < wanted; i++ {
					cost++
					if i > where.first && (i-where.first)%apart == 0 {
						met++
					} else if s.exceeded(met) {
						cost += sorting
						break
					}
				}
				if best := min(where.first+wanted*apart, sorting); cost > where.most*best+wanted+maxScan {
					t.Errorf("%d matches %s, %d wanted: it costs %d, at best %d", matches, where.name, wanted, cost, best)
				}
			}
		}
	}
}
