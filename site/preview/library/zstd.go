package library

import (
	"io"

	"github.com/klauspost/compress/zstd"

	"alcove/site/preview"
)

const zstdWindow = 32 << 20 // bytes that an archive may look back; the command zstd looks back 8 MiB unless told

// tarZstd lists the members of a TAR that zstd has packed.
func tarZstd(f preview.File) (*preview.Preview, error) {
	in, err := zstd.NewReader(io.NewSectionReader(f, 0, f.Size), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		return nil, preview.ErrBroken
	}
	defer in.Close()
	return preview.PackedTar(in)
}
