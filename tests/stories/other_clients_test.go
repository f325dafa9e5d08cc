package stories

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

var clientTools = flag.String("client-tools", "", "directory with the generators of make clients: package/bin/openapi-generator.jar and node_modules")

// openapi-generator's clients in Go and TypeScript, and hey-api's in TypeScript, made of the
// description that a server gives of itself, compile. The openapi-generator that can be had from
// the npm registry alone reads OpenAPI 3.0, so it gets the description in that form.
func TestOtherClients(t *testing.T) {
	if *clientTools == "" {
		t.Skip("make clients fetches the generators and runs this")
	}
	tools, err := filepath.Abs(*clientTools)
	if err != nil {
		t.Fatal(err)
	}
	s, dir := world.Start(t), t.TempDir()
	whole := s.Anon.Get("/v2/openapi.json").Is(200).Bytes
	var doc map[string]any
	if err := json.Unmarshal(whole, &doc); err != nil {
		t.Fatal(err)
	}
	older(doc)
	doc["openapi"] = "3.0.3"
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	disk.WriteFile(t, filepath.Join(dir, "3.1.json"), whole)
	disk.WriteFile(t, filepath.Join(dir, "3.0.json"), b)
	run := func(in, name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = in
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s %q: %v\n%s", name, args, err, out[max(0, len(out)-4000):])
		}
	}
	generate := func(language, to string, more ...string) {
		t.Helper()
		run(dir, "java", append([]string{"-jar", filepath.Join(tools, "package/bin/openapi-generator.jar"), "generate", "-i", "3.0.json", "-g", language, "-o", to}, more...)...)
	}
	tsc := func(in, strict string) {
		t.Helper()
		disk.WriteFile(t, filepath.Join(dir, in, "tsconfig.json"), []byte(`{"compilerOptions": {"strict": `+strict+`, "noEmit": true, "target": "es2022", "module": "esnext",
			"moduleResolution": "bundler", "lib": ["es2022", "dom", "dom.iterable"], "skipLibCheck": true}}`))
		run(dir, filepath.Join(tools, "node_modules/.bin/tsc"), "-p", in)
	}
	if err := os.Symlink(filepath.Join(tools, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	generate("go", "go")
	run(filepath.Join(dir, "go"), "go", "mod", "tidy")
	run(filepath.Join(dir, "go"), "go", "build", ".")
	generate("typescript-axios", "axios", "--type-mappings", "AnyType=any") // a name that this generator forgets
	tsc("axios", "false")                                                   // it deletes members that are not optional
	run(tools, "node_modules/.bin/openapi-ts", "-i", filepath.Join(dir, "3.1.json"), "-o", filepath.Join(dir, "hey"))
	tsc("hey", "true")
}

// older puts a part of a description into the form of OpenAPI 3.0.
func older(part any) {
	if list, ok := part.([]any); ok {
		for _, p := range list {
			older(p)
		}
		return
	}
	o, ok := part.(map[string]any)
	if !ok {
		return
	}
	if types, ok := o["type"].([]any); ok { // of one and null
		o["type"], o["nullable"] = types[0], true
	}
	if choice, ok := o["anyOf"].([]any); ok { // of one and null
		delete(o, "anyOf")
		o["nullable"] = true
		for k, v := range choice[0].(map[string]any) {
			o[k] = v
		}
	}
	if all, ok := o["allOf"].([]any); ok { // of one and what it needs
		delete(o, "allOf")
		for k, v := range all[0].(map[string]any) {
			o[k] = v
		}
	}
	if ref, ok := o["$ref"]; ok {
		clear(o)
		o["$ref"] = ref
	}
	if media, ok := o["content"].(map[string]any); ok {
		for name, m := range media {
			if len(m.(map[string]any)) == 0 {
				media[name] = map[string]any{"schema": map[string]any{"type": "string", "format": "binary"}}
			}
		}
	}
	for _, p := range o {
		older(p)
	}
}
