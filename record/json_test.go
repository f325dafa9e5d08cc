package record

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// refusal checks that err is a refusal of a class with a code.
func refusal(t *testing.T, what string, err error, class ErrorClass, code string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Class != class || e.Code != code || e.Message == "" {
		t.Errorf("%s: got %#v (%v), want class %d and code %s", what, e, err, class, code)
	}
}

// Bodies that must be refused as unreadable, and bodies of the same kind that are fine.
func TestReadBody(t *testing.T) {
	nested := func(n int) string { // levels, the outer object included
		return `{"a":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}`
	}
	objects := func(n int) string {
		return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n)
	}
	list := func(values int) string { // values in the body, the object and the list included
		return `{"a":[` + strings.TrimSuffix(strings.Repeat("0,", values-2), ",") + `]}`
	}
	tests := []struct {
		name, body, code string // no code: accepted
	}{
		{"empty object", `{}`, ""},
		{"space around", " \t\r\n{ } \n", ""},
		{"every kind of value", `{"a":"s","b":-0.5e+3,"c":true,"d":false,"e":null,"f":[],"g":{},"h":[1,[2,{"x":[]}]]}`, ""},
		{"space everywhere", "{ \"a\" : [ 1 , 2 ] , \"b\" : { \"c\" : \"d\" } }", ""},

		{"duplicate key", `{"a":1,"a":1}`, "DuplicateKey"},
		{"duplicate unknown key", `{"zzz":1,"zzz":2}`, "DuplicateKey"},
		{"duplicate key deeper", `{"a":{"b":1,"c":2,"b":3}}`, "DuplicateKey"},
		{"duplicate key in a list", `{"a":[1,{"b":1,"b":2}]}`, "DuplicateKey"},
		{"duplicate empty key", `{"":1,"":2}`, "DuplicateKey"},
		{"duplicate key spelled differently", `{"a":1,"\u0061":2}`, "DuplicateKey"},
		{"keys that differ in case", `{"a":1,"A":2}`, ""},
		{"same key in two objects", `{"a":{"a":1},"b":{"a":1}}`, ""},

		{"depth 32 of lists", nested(32), ""},
		{"depth 33 of lists", nested(33), "NestingTooDeep"},
		{"depth 32 of objects", objects(32), ""},
		{"depth 33 of objects", objects(33), "NestingTooDeep"},
		{"brackets in strings", `{"a":"` + strings.Repeat("[{", 50) + `","b":"\"` + strings.Repeat("[", 50) + `"}`, ""},
		{"many side by side", `{"a":[` + strings.Repeat("[],", 50) + `[]]}`, ""},

		{"invalid UTF-8 in a value", "{\"a\":\"\xff\"}", "InvalidUTF8"},
		{"invalid UTF-8 in a key", "{\"\xc3\":1}", "InvalidUTF8"},
		{"overlong", "{\"a\":\"\xc0\xaf\"}", "InvalidUTF8"},
		{"half a pair in UTF-8", "{\"a\":\"\xed\xa0\x80\"}", "InvalidUTF8"},
		{"above U+10FFFF", "{\"a\":\"\xf4\x90\x80\x80\"}", "InvalidUTF8"},
		{"invalid UTF-8 behind", "{}\xff", "InvalidUTF8"},

		{"high half alone", `{"a":"\ud83d"}`, "InvalidText"},
		{"low half alone", `{"a":"\ude00"}`, "InvalidText"},
		{"high half before text", `{"a":"\ud83dx"}`, "InvalidText"},
		{"high half before another escape", `{"a":"\ud83d\n"}`, "InvalidText"},
		{"high half before another high half", `{"a":"\ud83d\ud83d\ude00"}`, "InvalidText"},
		{"low half behind a pair", `{"a":"\ud83d\ude00\ude00"}`, "InvalidText"},
		{"halves in the wrong order", `{"a":"\ude00\ud83d"}`, "InvalidText"},
		{"half in a key", `{"\ud83d":1}`, "InvalidText"},
		{"half in a list", `{"a":["x","\uDC00"]}`, "InvalidText"},
		{"half in an ignored object", `{"zzz":{"b":"\udfff"}}`, "InvalidText"},
		{"half behind an escaped backslash", `{"a":"\\\ud800"}`, "InvalidText"},
		{"a pair", `{"a":"\ud83d\ude00","b":"x\uD83D\uDE00\uD83D\uDE00y"}`, ""},
		{"the first and the last pair", `{"a":"\ud800\udc00","b":"\udbff\udfff"}`, ""},
		{"the last high half alone", `{"a":"\udbff"}`, "InvalidText"},
		{"the first low half alone", `{"a":"\udc00"}`, "InvalidText"},
		{"the last low half alone", `{"a":"\udfff"}`, "InvalidText"},
		{"a pair in a key", `{"\ud83d\ude00":1}`, ""},
		{"escaped backslash before u", `{"a":"\\ud83d"}`, ""},
		{"next to the halves", `{"a":"\ud7ff\ue000"}`, ""},

		{"null character", `{"a":"x\u0000"}`, "InvalidText"},
		{"null character in a key", `{"\u0000":1}`, "InvalidText"},
		{"null character raw", "{\"a\":\"\x00\"}", "InvalidJSON"},
		{"escaped backslash before u0000", `{"a":"\\u0000"}`, ""},
		{"other control characters", `{"a":"\u0001\u001f\u007f\b\f\n\r\t\/\\\""}`, ""},
		{"line break raw", "{\"a\":\"\n\"}", "InvalidJSON"},

		{"a second value", `{}{}`, "InvalidJSON"},
		{"garbage behind", `{} x`, "InvalidJSON"},
		{"a comma behind", `{},`, "InvalidJSON"},
		{"trailing comma", `{"a":1,}`, "InvalidJSON"},
		{"byte order mark", "\ufeff{}", "InvalidJSON"},
		{"comment", `{/**/}`, "InvalidJSON"},
		{"single quotes", `{'a':1}`, "InvalidJSON"},
		{"bare key", `{a:1}`, "InvalidJSON"},
		{"cut off", `{"a":"b`, "InvalidJSON"},
		{"cut off in an escape", `{"a":"\u00`, "InvalidJSON"},
		{"cut off behind a backslash", `{"a":"\`, "InvalidJSON"},
		{"wrong escape", `{"a":"\x"}`, "InvalidJSON"},
		{"NaN", `{"a":NaN}`, "InvalidJSON"},
		{"Infinity", `{"a":-Infinity}`, "InvalidJSON"},
		{"leading zero", `{"a":01}`, "InvalidJSON"},
		{"plus sign", `{"a":+1}`, "InvalidJSON"},
		{"hexadecimal", `{"a":0x10}`, "InvalidJSON"},
		{"point without digits", `{"a":1.}`, "InvalidJSON"},
		{"True", `{"a":True}`, "InvalidJSON"},
		{"no-break space", "{\u00a0}", "InvalidJSON"},
		{"only a no-break space", "\u00a0", "InvalidJSON"},
		{"only a vertical tab", "\v", "InvalidJSON"},

		{"empty", ``, "MissingBody"},
		{"only space", " \r\n\t", "MissingBody"},
		{"list", `[]`, "NotAnObject"},
		{"string", `"{}"`, "NotAnObject"},
		{"number", `1`, "NotAnObject"},
		{"null", `null`, "NotAnObject"},
		{"true", `true`, "NotAnObject"},
		{"false", `false`, "NotAnObject"},

		{"100,000 values", list(maxValues), ""},
		{"100,001 values", list(maxValues + 1), "TooManyValues"},
	}
	for _, test := range tests {
		_, err := ReadBody([]byte(test.body), false)
		switch {
		case test.code == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.code == "TooManyValues":
			refusal(t, test.name, err, Invalid, test.code)
		case test.code != "":
			refusal(t, test.name, err, Unreadable, test.code)
		}
	}
	if _, err := ReadBody([]byte(`{"a":1,"`+strings.Repeat("k", 1000)+`":1,"a":2}`), false); err.(*Error).Data["key"] != "a" {
		t.Errorf("the duplicate key is not named: %v", err)
	}
}

// An optional body may be absent, but one that is there is read as strictly.
func TestOptionalBody(t *testing.T) {
	for body, code := range map[string]string{
		"": "", " \r\n\t": "", "{}": "", `{"a":1}`: "",
		"x": "InvalidJSON", "null": "NotAnObject", "[]": "NotAnObject", "\xff": "InvalidUTF8",
		"\u00a0": "InvalidJSON", "\v\f": "InvalidJSON", "\ufeff": "InvalidJSON",
	} {
		b, err := ReadBody([]byte(body), true)
		if code != "" {
			refusal(t, fmt.Sprintf("%q", body), err, Unreadable, code)
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", body, err)
			continue
		}
		if _, err := b.Bind(&FileBody{}); err != nil {
			t.Errorf("%q: %v", body, err)
		}
	}
}

// No body makes the reader work long or deep.
func TestHostileBodies(t *testing.T) {
	const million = 1_000_000
	bodies := map[string]string{
		"open lists":        strings.Repeat("[", million),
		"open objects":      strings.Repeat(`{"a":`, million),
		"a million levels":  `{"a":` + strings.Repeat("[", million) + strings.Repeat("]", million) + `}`,
		"closing brackets":  strings.Repeat("]", million),
		"backslashes":       `{"a":"` + strings.Repeat(`\`, million),
		"an open string":    `{"a":"` + strings.Repeat("[", million),
		"half surrogates":   `{"a":"` + strings.Repeat(`\ud800`, million/6) + `"}`,
		"many values":       `{"a":[` + strings.Repeat("0,", million) + `0]}`,
		"many keys":         `{` + strings.Repeat(`"a":0,`, million/6) + `"b":0}`,
		"a number too long": `{"a":` + strings.Repeat("1", million) + `x}`,
	}
	for name, body := range bodies {
		b, took := []byte(body), time.Hour
		for range 3 { // the best of three
			took = min(took, worked(func() {
				if _, err := ReadBody(b, false); err == nil {
					t.Errorf("%s: accepted", name)
				}
			}))
		}
		limit := 50 * time.Millisecond
		if !strings.Contains(name, "levels") && !strings.Contains(name, "open") {
			limit = time.Second // these are read as far as they are sound
		}
		if took > limit*slow {
			t.Errorf("%s: took %v", name, took)
		}
	}
	for _, name := range []string{"open lists", "open objects", "a million levels"} {
		_, err := ReadBody([]byte(bodies[name]), false)
		refusal(t, name, err, Unreadable, "NestingTooDeep")
	}
}
