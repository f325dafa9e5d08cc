package samples

import (
	"encoding/binary"
	"math"
)

func sound() []Item {
	return []Item{{
		Title: "A major scale for listening tests, 440 Hz to 880 Hz",
		Description: `<p>Eight tones of 0.4&nbsp;s from A<sub>4</sub> (440&nbsp;Hz) to A<sub>5</sub> (880&nbsp;Hz), sine waves in equal temperament that fade in and out in 20&nbsp;ms. ` +
			`Mono, 16&nbsp;bit, 22.05&nbsp;kHz, −6&nbsp;dB.</p><p><em>Computed for demonstration.</em></p>`,
		Tags:         []string{"sound", "sine", "scale", "WAV"},
		CategoryIDs:  []int64{460707, 510301},
		DefinedType:  "media",
		LicenseID:    2,
		Authors:      []string{"Fenella Inkwell"},
		CustomFields: []Field{{"Sampling rate", "22050 Hz"}, {"Duration", "3.2 s"}},
		Files:        []File{{Name: "a-major-scale.wav", Data: scale}},
		Publish:      true,
	}}
}

// scale returns a RIFF WAVE file: one header of 44 bytes, then the samples.
func scale() ([]byte, error) {
	const rate, length, fade = 22050, 22050 * 4 / 10, 22050 * 20 / 1000
	var samples []byte
	for _, semitones := range []float64{0, 2, 4, 5, 7, 9, 11, 12} {
		hertz := 440 * math.Pow(2, semitones/12)
		for i := range length {
			loud := min(1, float64(i)/fade, float64(length-1-i)/fade) / 2
			value := int16(math.MaxInt16 * loud * math.Sin(2*math.Pi*hertz*float64(i)/rate))
			samples = binary.LittleEndian.AppendUint16(samples, uint16(value))
		}
	}
	const channels, bits, pcm = 1, 16, 1
	little := binary.LittleEndian
	out := append([]byte(nil), "RIFF"...)
	out = little.AppendUint32(out, uint32(36+len(samples)))
	out = append(out, "WAVEfmt "...)
	out = little.AppendUint32(out, 16)
	out = little.AppendUint16(out, pcm)
	out = little.AppendUint16(out, channels)
	out = little.AppendUint32(out, rate)
	out = little.AppendUint32(out, rate*channels*bits/8)
	out = little.AppendUint16(out, channels*bits/8)
	out = little.AppendUint16(out, bits)
	out = append(out, "data"...)
	out = little.AppendUint32(out, uint32(len(samples)))
	return append(out, samples...), nil
}
