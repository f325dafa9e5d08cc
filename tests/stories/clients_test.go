package stories

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// oapi-codegen, of the version in tools/go.mod, makes a client in Go from the description that a
// server gives of itself. It compiles, and takes an item through its life.
func TestGoClient(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	dir := t.TempDir()
	generator, client, program := filepath.Join(dir, "oapi-codegen"), filepath.Join(dir, "api.go"), filepath.Join(dir, "goclient")
	run := func(env []string, name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(nil, "go", "build", "-C", disk.Root("tools"), "-o", generator, "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen"); err != nil {
		t.Skipf("oapi-codegen cannot be built, so no client was made: %v\n%s", err, out)
	}
	disk.WriteFile(t, filepath.Join(dir, "openapi.json"), s.Anon.Get("/v2/openapi.json").Is(200).Bytes)
	if out, err := run(nil, generator, "-package", "api", "-generate", "types,client", "-o", client, filepath.Join(dir, "openapi.json")); err != nil {
		t.Fatalf("oapi-codegen makes no client: %v\n%s", err, out)
	}
	over := disk.Root("tools/goclient/api/api.go")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{over: client}})
	if err != nil {
		t.Fatal(err)
	}
	disk.WriteFile(t, filepath.Join(dir, "overlay.json"), overlay)
	if out, err := run(nil, "go", "build", "-C", disk.Root("tools"), "-tags", "generated", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, "./goclient"); err != nil {
		t.Fatalf("what oapi-codegen made does not compile: %v\n%s", err, out)
	}
	if out, err := run([]string{"ALCOVE_URL=" + s.URL, "ALCOVE_TOKEN=" + s.Ada.Token}, program); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
