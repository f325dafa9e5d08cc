package samples

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// dice is a seeded source of numbers. It draws on PCG's own output only, which
// is fixed by its definition, and not on the distributions of math/rand, which
// a later release of Go may compute in another way.
type dice struct{ pcg *rand.PCG }

// roll returns the dice of one data set; each has a seed of its own, so that a
// change of one leaves the others as they are.
func roll(seed uint64) dice { return dice{rand.NewPCG(seed, 0x616c636f7665)} }

// unit returns a number from 0 up to, not including, 1.
func (d dice) unit() float64 { return float64(d.pcg.Uint64()>>11) / (1 << 53) }

// bell returns a number around 0 with standard deviation 1, and never beyond 6
// either way: twelve uniform numbers added up are close enough to a normal one.
func (d dice) bell() float64 {
	sum := -6.0
	for range 12 {
		sum += d.unit()
	}
	return sum
}

// randomBytes is 24 MiB, which makes three parts of an upload, the last one
// shorter.
const randomBytes = 24 << 20

const randomSeed = 20241121

// randomFloats returns randomBytes bytes of uniform float32 numbers from 0 up
// to, not including, 1, with the low byte first. Each 64 bits of the generator
// give two numbers: the top 24 bits of the low half, then of the high half.
func randomFloats() ([]byte, error) {
	d := roll(randomSeed)
	out := make([]byte, randomBytes)
	for i := 0; i < len(out); i += 8 {
		bits := d.pcg.Uint64()
		low := math.Float32bits(float32(uint32(bits)>>8) / (1 << 24))
		high := math.Float32bits(float32(bits>>40) / (1 << 24))
		binary.LittleEndian.PutUint64(out[i:], uint64(high)<<32|uint64(low))
	}
	return out, nil
}
