package secrets

import (
	"bytes"
	"crypto/x509"
	"path"
	"strings"
	"sync"
)

// index has the words of all rules by their first two bytes, as the text of a file is read once for all of them. The bits fit
// into the cache of a processor, and tell at once of most pairs of bytes that no word begins with them.
type index struct {
	bits  [1 << 16 / 64]uint64
	words map[uint16][]string
	low   [256]byte // of a letter, the small one
}

var starts = sync.OnceValue(func() *index {
	x := &index{words: map[uint16][]string{}}
	for i := range x.low {
		if x.low[i] = byte(i); 'A' <= i && i <= 'Z' {
			x.low[i] += 'a' - 'A'
		}
	}
	seen := map[string]bool{}
	for _, r := range rules() {
		for _, w := range r.Words {
			if !seen[w] {
				seen[w] = true
				at := uint16(w[0])<<8 | uint16(w[1])
				x.bits[at/64] |= 1 << (at % 64)
				x.words[at] = append(x.words[at], w)
			}
		}
	}
	return x
})

// wordsIn returns where the words of the table are in a text, in any case.
func wordsIn(text []byte) map[string][]int {
	there := map[string][]int{}
	x := starts()
	pair := uint16(0)
	for i, b := range text {
		pair = pair<<8 | uint16(x.low[b])
		if x.bits[pair/64]&(1<<(pair%64)) == 0 || i == 0 {
			continue
		}
		for _, w := range x.words[pair] {
			if begins(text[i-1:], w) {
				there[w] = append(there[w], i-1)
			}
		}
	}
	return there
}

// begins reports whether a text begins with a word in small letters, in any case.
func begins(text []byte, word string) bool {
	return len(text) >= len(word) && strings.EqualFold(string(text[:len(word)]), word)
}

// narrow returns a text in UTF-16, which begins with a byte order mark, without its zero bytes.
func narrow(text []byte) []byte {
	if !bytes.HasPrefix(text, []byte("\xff\xfe")) && !bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return text
	}
	return bytes.ReplaceAll(text[2:], []byte{0}, nil)
}

// maxBinaryKey is the size up to which a file may be a private key in binary form, in bytes.
const maxBinaryKey = 16 << 10

// shroudedKey is the object identifier of an encrypted key in a PKCS #12 store (1.2.840.113549.1.12.10.1.2), in DER.
var shroudedKey = []byte("\x06\x0b\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x0a\x01\x02")

// binaryKey names the form of a private key in DER, or of a PKCS #12 store with one.
func binaryKey(name string, text []byte) string {
	if len(text) == 0 || text[0] != 0x30 {
		return ""
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".p12", ".pfx":
		if bytes.Contains(text, shroudedKey) {
			return "pkcs12-store"
		}
	}
	if len(text) > maxBinaryKey {
		return ""
	}
	_, pkcs8 := x509.ParsePKCS8PrivateKey(text)
	_, pkcs1 := x509.ParsePKCS1PrivateKey(text)
	_, ec := x509.ParseECPrivateKey(text)
	if pkcs8 == nil || pkcs1 == nil || ec == nil {
		return "der-private-key"
	}
	return ""
}
