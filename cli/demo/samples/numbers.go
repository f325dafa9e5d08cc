package samples

import (
	"bytes"
	"encoding/json"
	"fmt"
)

func numbers() []Item {
	return []Item{
		{
			Title: "Six million pseudo-random numbers in one file of 24 MiB",
			Description: `<p>6,291,456 uniform numbers from 0 up to, not including, 1, as 32-bit little-endian IEEE 754, one after the other without a header. ` +
				`The generator is PCG with a fixed seed; <code>numbers.json</code> gives it. The file is large enough to be uploaded in several parts.</p>` +
				`<pre>numpy.fromfile("numbers.f32", dtype="&lt;f4")</pre>` +
				`<p><em>Made for demonstration. The numbers are not secret and not for cryptography.</em></p>`,
			Tags:         []string{"random numbers", "binary", "large file"},
			References:   []string{"https://www.pcg-random.org/"},
			CategoryIDs:  []int64{490506, 490503},
			DefinedType:  "dataset",
			LicenseID:    2,
			Authors:      []string{"Ipsum Loremsen"},
			CustomFields: []Field{{"Number format", "float32, little-endian"}, {"Size", "24 MiB"}},
			Files: []File{
				{Name: "numbers.f32", Data: randomFloats},
				{Name: "numbers.json", Data: randomNote},
			},
			Publish: true,
		},
		{
			Title: "Eight thousand steps along the Lorenz attractor",
			Description: `<p>A path through the Lorenz equations with σ = 10, ρ = 28, β = 8/3, from (1, 1, 1), by the classical Runge–Kutta method with a step of 0.005. ` +
				`A table of time and <i>x</i>, <i>y</i>, <i>z</i>, packed with gzip.</p><p><em>Computed for demonstration.</em></p>`,
			Tags:        []string{"chaos", "Lorenz attractor", "differential equations"},
			References:  []string{"https://doi.org/10.1175/1520-0469(1963)020%3C0130:DNF%3E2.0.CO;2"},
			CategoryIDs: []int64{490409, 490105, 370108},
			DefinedType: "model",
			LicenseID:   7,
			Authors:     []string{"Séraphine Buvard", "Tobias Nullstein"},
			Files:       []File{{Name: "lorenz.csv.gz", Data: lorenz}},
			Owner:       1,
			Publish:     true,
		},
		{
			Title: "The prime numbers below 20,000 and the gaps between them",
			Description: `<p>All 2,262 primes below 20,000 with their number in the row of primes and the distance to the next one (TSV), ` +
				`and how often each gap occurs (JSON).</p><p><em>Computed for demonstration with the sieve of Eratosthenes.</em></p>`,
			Tags:        []string{"prime numbers", "prime gaps", "sieve"},
			CategoryIDs: []int64{490401},
			DefinedType: "dataset",
			LicenseID:   2,
			Authors:     []string{"山田 架空", "Ipsum Loremsen"},
			Files: []File{
				{Name: "primes.tsv", Data: primeTable},
				{Name: "gaps.json", Data: primeGaps},
			},
			Publish: true,
		},
	}
}

// randomNote describes the file of random numbers for a program.
func randomNote() ([]byte, error) {
	return json.MarshalIndent(map[string]any{
		"file":         "numbers.f32",
		"count":        randomBytes / 4,
		"type":         "float32",
		"byte_order":   "little",
		"range":        []int{0, 1},
		"generator":    "PCG-DXSM as in Go's math/rand/v2",
		"seed":         randomSeed,
		"distribution": "uniform",
	}, "", "  ")
}

func lorenz() ([]byte, error) {
	const step, count = 0.005, 8_000
	type point [3]float64
	slope := func(p point) point {
		return point{10 * (p[1] - p[0]), p[0]*(28-p[2]) - p[1], p[0]*p[1] - 8.0/3*p[2]}
	}
	ahead := func(p, v point, t float64) point {
		return point{p[0] + t*v[0], p[1] + t*v[1], p[2] + t*v[2]}
	}
	var out bytes.Buffer
	out.WriteString("t,x,y,z\n")
	p := point{1, 1, 1}
	for i := range count {
		fmt.Fprintf(&out, "%.3f,%.4f,%.4f,%.4f\n", float64(i)*step, p[0], p[1], p[2])
		a := slope(p)
		b := slope(ahead(p, a, step/2))
		c := slope(ahead(p, b, step/2))
		d := slope(ahead(p, c, step))
		for k := range p {
			p[k] += step / 6 * (a[k] + 2*b[k] + 2*c[k] + d[k])
		}
	}
	return gzipped(out.Bytes())
}

// primes returns the primes below 20,000 and the one after them, which the last
// gap needs.
func primes() []int {
	const limit = 20_100
	composite := make([]bool, limit)
	var all []int
	for n := 2; n < limit; n++ {
		if composite[n] {
			continue
		}
		all = append(all, n)
		if n > 20_000 {
			break
		}
		for m := n * n; m < limit; m += n {
			composite[m] = true
		}
	}
	return all
}

func primeTable() ([]byte, error) {
	all := primes()
	var out bytes.Buffer
	out.WriteString("n\tprime\tgap\n")
	for i, p := range all[:len(all)-1] {
		fmt.Fprintf(&out, "%d\t%d\t%d\n", i+1, p, all[i+1]-p)
	}
	return out.Bytes(), nil
}

func primeGaps() ([]byte, error) {
	all := primes()
	count := map[int]int{}
	for i, p := range all[:len(all)-1] {
		count[all[i+1]-p]++
	}
	return json.MarshalIndent(map[string]any{"below": 20_000, "primes": len(all) - 1, "gaps": count}, "", "  ")
}
