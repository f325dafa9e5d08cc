package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// query is a search whose first page must have the item of a record.
type query struct {
	text string
	slug string
}

// Results come in the order of publication, the newest first, so a query proves
// something only if it has few results. Words are compared by a coarse stem that
// is shorter than a search engine's, so that no result is overlooked here.
const (
	mostResults = 5  // records that a query may match
	pageSize    = 10 // results that are asked for
)

// queries chooses n searches, in turn a phrase and two words joined by AND, from
// the titles of records that are spread evenly.
func queries(items []expected, n int) []query {
	texts := &corpus{holders: map[string][]int{}}
	for _, x := range items {
		texts.add(stems(allText(x)))
	}
	var list []query
	for q := 0; q < n && len(items) > 0; q++ {
		start := q * len(items) / n
		for i := start; i < len(items); i++ {
			words := titleWords(items[i].article.Title)
			var text string
			if q%2 == 0 {
				text = phrase(words, texts)
			} else {
				text = both(words, texts)
			}
			if text != "" {
				list = append(list, query{text, items[i].entry.Slug})
				break
			}
		}
	}
	return list
}

// phrase returns three successive words in quotes that few texts hold so, or "".
func phrase(words []string, texts *corpus) string {
	for i := 0; i+3 <= len(words); i++ {
		run := words[i : i+3]
		if slices.ContainsFunc(run, unfit) {
			continue
		}
		if texts.few(stems(strings.Join(run, " "))) {
			return `"` + strings.Join(run, " ") + `"`
		}
	}
	return ""
}

// both returns two words joined by AND that few texts hold together, or "".
func both(words []string, texts *corpus) string {
	for i := range words {
		for j := i + 1; j < len(words); j++ {
			if unfit(words[i]) || unfit(words[j]) {
				continue
			}
			if texts.few(stems(words[i]), stems(words[j])) {
				return words[i] + " AND " + words[j]
			}
		}
	}
	return ""
}

// corpus is the words of all texts, cut to stems.
type corpus struct {
	texts   [][]string
	holders map[string][]int // stem → the texts that hold it, in order
}

func (c *corpus) add(text []string) {
	for _, stem := range text {
		list := c.holders[stem]
		if len(list) == 0 || list[len(list)-1] != len(c.texts) {
			c.holders[stem] = append(list, len(c.texts))
		}
	}
	c.texts = append(c.texts, text)
}

// few tells whether at most mostResults texts hold all of the runs.
func (c *corpus) few(runs ...[]string) bool {
	rare := c.holders[runs[0][0]] // the texts that hold the rarest word
	for _, run := range runs {
		for _, stem := range run {
			if list := c.holders[stem]; len(list) < len(rare) {
				rare = list
			}
		}
	}
	found := 0
	for _, i := range rare {
		lacks := func(run []string) bool { return !hasRun(c.texts[i], run) }
		if !slices.ContainsFunc(runs, lacks) {
			found++
		}
	}
	return found <= mostResults
}

// unfit tells the words that a search may leave out, take for an operator or cut
// otherwise than we do.
func unfit(word string) bool {
	if len(word) < 4 || slices.Contains([]string{"from", "into", "that", "this", "with", "over", "under", "their", "these", "there", "such"}, strings.ToLower(word)) {
		return true
	}
	return strings.ContainsFunc(word, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) })
}

// titleWords cuts a title at single spaces, so that punctuation makes its word
// unfit.
func titleWords(title string) []string { return strings.Split(title, " ") }

// stems cuts a text into words of letters and digits and those to five letters
// at most.
func stems(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		words[i] = cut(w, 5)
	}
	return words
}

func hasRun(text, run []string) bool {
	for i := 0; i+len(run) <= len(text); i++ {
		if text[i] == run[0] && slices.Equal(text[i:i+len(run)], run) {
			return true
		}
	}
	return false
}

// allText is everything of an item that a search may look at.
func allText(x expected) string {
	var b strings.Builder
	a := x.article
	for _, list := range [][]string{{a.Title, a.Description, a.Authors[0].Name}, a.Tags, a.References} {
		for _, s := range list {
			b.WriteString(s + " . ")
		}
	}
	for _, s := range a.Custom {
		b.WriteString(s + " . ")
	}
	return b.String()
}

// searches runs every query and reports those that miss their item. ids are the
// articles by slug.
func (s *site) searches(ctx context.Context, list []query, ids map[string]int64) []string {
	var differences []string
	for _, q := range list {
		body, err := json.Marshal(map[string]any{"search_for": q.text, "page_size": pageSize})
		if err != nil {
			return []string{err.Error()}
		}
		var results []struct {
			ID int64 `json:"id"`
		}
		if err := s.json(ctx, "POST", "/v2/articles/search", body, &results); err != nil {
			differences = append(differences, fmt.Sprintf("search for %s: %v", q.text, err))
			continue
		}
		found := false
		for _, r := range results {
			found = found || r.ID == ids[q.slug]
		}
		if !found {
			differences = append(differences, fmt.Sprintf("search for %s: %s is not among the %d results on page 1", q.text, q.slug, len(results)))
		}
	}
	return differences
}
