package auth

import "testing"

func TestCommon(t *testing.T) {
	for _, p := range []string{"123456789012", "Passwordpassword", "abcdefghijkl", "aaaaaaaaaaaa", "qwertyqwerty", "Ada@Example.org", "1q2w3e4r5t6y", " 0123456789012345", "987654321098"} {
		if !Common(p, "ada@example.org") {
			t.Errorf("%q is not called common", p)
		}
	}
	for _, p := range []string{"correct horse battery", "several words together", "the engine weaves", "x9!kLm2$vQ7z", "", "ada@example.com", "horses eat oats, horses eat oats"} {
		if p != "" && Common(p, "ada@example.org") {
			t.Errorf("%q is called common", p)
		}
	}
	for p := range commonPasswords() {
		if len([]rune(p)) < MinPassword {
			t.Errorf("%q is too short to be needed", p)
		}
	}
}
