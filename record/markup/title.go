package markup

import (
	"regexp"
	"strings"
)

// titleTag is a complete tag of an element that a title may have. Its attributes are dropped. A name without a
// value is no attribute here, so that "a <b and c> d" stays text.
var titleTag = regexp.MustCompile(`^(?i)<(/?)(i|em|b|strong|sub|sup)(?:\s+[\w:-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=]+))*\s*>$`)

// deepest is how many elements of a title may stand in each other. Those further in are not shown as markup.
const deepest = 50

// Title reads a title, or any other text of one line: a name, a funding line, a value of a custom field.
func Title(text string) Text {
	tags := titleTags(text)
	pair(tags)
	list, from, depth := []piece{}, 0, 0
	for _, t := range tags {
		if !t.paired {
			continue
		}
		if t.from > from {
			list = append(list, piece{text: text[from:t.from]})
		}
		from = t.to
		if !t.end {
			depth++
		}
		if depth <= deepest {
			list = append(list, piece{tag: t.name, end: t.end})
		}
		if t.end {
			depth--
		}
	}
	if from < len(text) {
		list = append(list, piece{text: text[from:]})
	}
	return Text{pieces: list}
}

// found is a tag in a title.
type found struct {
	from, to    int
	name        string
	end, paired bool
}

// titleTags returns the complete tags of a title. No tag has "<" or ">" in it.
func titleTags(text string) (list []found) {
	for i := strings.IndexByte(text, '<'); i >= 0; {
		size := strings.IndexAny(text[i+1:], "<>") + 2
		if m := titleTag.FindStringSubmatch(text[i : i+size]); m != nil {
			list = append(list, found{i, i + size, strings.ToLower(m[2]), m[1] != "", false})
		}
		next := strings.IndexByte(text[i+1:], '<')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return list
}

// pair marks the tags that have a partner of the same name. Tags between two partners have theirs there too.
func pair(tags []found) {
	open := map[string][]int{} // start tags without a partner so far, by name, in their order
	for i, t := range tags {
		list := open[t.name]
		switch {
		case !t.end:
			open[t.name] = append(list, i)
		case len(list) > 0:
			first := list[len(list)-1]
			tags[first].paired, tags[i].paired = true, true
			for name, list := range open {
				for len(list) > 0 && list[len(list)-1] >= first {
					list = list[:len(list)-1]
				}
				open[name] = list
			}
		}
	}
}
