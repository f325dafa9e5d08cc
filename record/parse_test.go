package record

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// A key that stands twice is found among few keys and among many, wherever it stands.
func TestDuplicateKeys(t *testing.T) {
	for _, n := range []int{1, 2, fewKeys - 1, fewKeys, fewKeys + 1, 3 * fewKeys} {
		var keys []string
		for i := range n {
			keys = append(keys, fmt.Sprintf(`"k%d":%d`, i, i))
		}
		if _, err := ReadBody([]byte("{"+strings.Join(keys, ",")+"}"), false); err != nil {
			t.Errorf("%d keys: %v", n, err)
		}
		for i := range n {
			var refused *Error
			text := "{" + strings.Join(keys, ",") + fmt.Sprintf(`,"k%d":0}`, i)
			if _, err := ReadBody([]byte(text), false); !errors.As(err, &refused) || refused.Code != errDuplicate.Code {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// An integer is a number without a fraction, an exponent, a plus or a needless zero.
func TestIsInteger(t *testing.T) {
	form := regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)
	for _, text := range []string{"", "0", "-", "-0", "00", "01", "-01", "1", "-1", "--1", "10", "123456789", "-90", "1.0", "1e3", "1E3", "+1", " 1", "1 ", "1-", "0x1", "٣"} {
		if got, want := isInteger([]byte(text)), form.MatchString(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
