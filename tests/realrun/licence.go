package main

import (
	"regexp"
	"strings"
)

// licences are the forms in which a text names one licence for sure, by the ids
// of the licence list. A form must not match where a stricter licence is named.
var licences = []struct {
	id   int
	form *regexp.Regexp
}{
	{1, regexp.MustCompile(`creativecommons\.org/licenses/by/4\.0|\bcc[ -]by[ -]4\.0|creative commons (by|attribution) 4\.0|^attribution 4\.0`)},
	{2, regexp.MustCompile(`creativecommons\.org/publicdomain/zero/1\.0|\bcc-?0\b|creative commons zero`)},
	{3, regexp.MustCompile(`\bmit license\b|opensource\.org/licenses?/mit\b`)},
	{6, regexp.MustCompile(`gnu general public license,? v(ersion )?3|gnu\.org/licenses/gpl-3\.0`)},
	{7, regexp.MustCompile(`apache[ -](license,? )?(version )?2\.0|apache\.org/licenses/license-2\.0`)},
	{8, regexp.MustCompile(`creativecommons\.org/licenses/by-sa/4\.0|\bcc[ -]by-sa[ -]4\.0|attribution-share ?alike 4\.0`)},
	{9, regexp.MustCompile(`creativecommons\.org/licenses/by-nd/4\.0|\bcc[ -]by-nd[ -]4\.0|attribution-no ?deriv(ative)?s 4\.0`)},
	{10, regexp.MustCompile(`creativecommons\.org/licenses/by-nc/4\.0|\bcc[ -]by-nc[ -]4\.0|attribution[ -]non-?commercial 4\.0`)},
	{11, regexp.MustCompile(`creativecommons\.org/licenses/by-nc-sa/4\.0|\bcc[ -]by-nc-sa[ -]4\.0|attribution-non-?commercial-share ?alike 4\.0`)},
	{12, regexp.MustCompile(`creativecommons\.org/licenses/by-nc-nd/4\.0|\bcc[ -]by-nc-nd[ -]4\.0`)},
}

var (
	// doubtful texts name several licences, exceptions or conditions.
	doubtful = regexp.MustCompile(`\b(var(y|ies|ious)|most|some|usually|unless|otherwise|multiple|odbl|open data commons|open database|may be|specific|terms and conditions|terms of use|similar to|own licen[cs]es?|defined per|varying|related)\b`)
	// short names are the abbreviations of Creative Commons licences.
	short = regexp.MustCompile(`\bcc[ -]?(0|(by|nc|sa|nd)([ -](nc|sa|nd))*)\b`)
	// forbidden commerce contradicts the licences that allow it.
	noCommerce = regexp.MustCompile(`\bnon[ -]?commercial`)
)

// licence returns the id of the licence that a text clearly names, 0 if it is
// not clear.
func licence(text string) int {
	text = strings.ToLower(text)
	const long = 400 // longer texts explain and except
	if len(text) > long || doubtful.MatchString(text) {
		return 0
	}
	names := map[string]bool{}
	for _, name := range short.FindAllString(text, -1) {
		names[strings.NewReplacer(" ", "", "-", "").Replace(name)] = true
	}
	if len(names) > 1 {
		return 0
	}
	found := 0
	for _, l := range licences {
		if !l.form.MatchString(text) {
			continue
		}
		if found != 0 {
			return 0
		}
		found = l.id
	}
	if found > 0 && found < 10 && noCommerce.MatchString(text) {
		return 0
	}
	return found
}
