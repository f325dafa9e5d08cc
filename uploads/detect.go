package uploads

import (
	"bytes"
	"mime"
	"path"
	"regexp"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

const (
	octets = "application/octet-stream"
	hdf5   = "application/x-hdf5"
	netCDF = "application/x-netcdf"
	matlab = "application/x-matlab-data"
	plain  = "text/plain"
)

// hdf5Magic begins an HDF5 file, or follows a user block of 512 bytes or a power of two more.
var hdf5Magic = []byte("\x89HDF\r\n\x1a\n")

func init() {
	// The library must know that a head of this length may have been cut off.
	mimetype.SetLimit(HeadSize)
	mimetype.Extend(func(raw []byte, _ uint32) bool {
		return bytes.HasPrefix(raw, hdf5Magic)
	}, hdf5, ".h5")
	mimetype.Extend(func(raw []byte, _ uint32) bool {
		return len(raw) > 3 && string(raw[:3]) == "CDF" && strings.IndexByte("\x01\x02\x05", raw[3]) >= 0
	}, netCDF, ".nc")
}

// guesses are the types that the library infers from how some text looks. The name knows better.
var guesses = map[string]bool{
	plain: true, "text/csv": true, "text/tab-separated-values": true, "text/x-python": true,
	"text/x-perl": true, "text/x-ruby": true, "application/json": true, "application/x-ndjson": true,
}

// texts are the types of text files by the extension of their name.
var texts = map[string]string{
	".bib": "application/x-bibtex", ".c": "text/x-c", ".cff": "application/yaml",
	".cpp": "text/x-c++", ".csv": "text/csv", ".do": "text/x-stata", ".f90": "text/x-fortran",
	".fasta": "text/x-fasta", ".geojson": "application/geo+json", ".go": "text/x-go",
	".ipynb": "application/x-ipynb+json", ".java": "text/x-java", ".jl": "text/x-julia",
	".json": "application/json", ".jsonl": "application/x-ndjson", ".jsonld": "application/ld+json",
	".log": plain,
	".m":   "text/x-matlab", ".markdown": "text/markdown", ".md": "text/markdown",
	".ndjson": "application/x-ndjson", ".nt": "application/n-triples", ".pl": "text/x-perl",
	".py": "text/x-python", ".qmd": "text/markdown", ".r": "text/x-r", ".rb": "text/x-ruby",
	".ris": "application/x-research-info-systems", ".rmd": "text/markdown", ".rst": "text/x-rst", ".sh": "text/x-sh",
	".sql": "application/sql", ".tab": "text/tab-separated-values", ".tex": "text/x-tex",
	".toml": "application/toml", ".tsv": "text/tab-separated-values", ".ttl": "text/turtle", ".txt": plain,
	".xml": "application/xml", ".yaml": "application/yaml", ".yml": "application/yaml",
}

// binaries are the types of files that have no signature the library knows.
var binaries = map[string]string{
	".arrow": "application/vnd.apache.arrow.file", ".dta": "application/x-stata-dta",
	".feather": "application/vnd.apache.arrow.file", ".fits": "application/fits", ".h5": hdf5,
	".hdf5": hdf5, ".mat": matlab, ".nc": netCDF, ".npy": "application/x-npy",
	".parquet": "application/vnd.apache.parquet", ".rda": "application/x-r-data",
	".rdata": "application/x-r-data", ".rds": "application/x-r-data",
	".sas7bdat": "application/x-sas-data", ".sav": "application/x-spss-sav",
}

// inHDF5 are the formats that are HDF5 files of a certain make.
var inHDF5 = map[string]string{".mat": matlab, ".nc": netCDF, ".nc4": netCDF}

// oneType is the form of every result of DetectType.
var oneType = regexp.MustCompile(`^[a-z0-9]+/[a-z0-9][a-z0-9.+_-]*(; charset=[A-Za-z0-9][A-Za-z0-9.:_-]{0,39})?$`)

// DetectType tells the media type of a file from its first bytes, HeadSize at most. The content
// decides; the extension of the name (in any case) is asked only where the content says no more
// than some text or some bytes, and then never makes text of binary bytes, nor anything that a
// browser runs. The result is a lower-case type, with "; charset=" and a token where the content
// tells one, and nothing else, whatever is in head and name.
func DetectType(head []byte, name string) string {
	full := mimetype.Detect(head[:min(len(head), HeadSize)]).String()
	kind, params, err := mime.ParseMediaType(full)
	if err != nil {
		// The file names its own charset, in a form that is none.
		kind, _, _ = strings.Cut(full, ";")
	}
	ext := strings.ToLower(path.Ext(name))

	switch {
	case kind == octets && hasUserBlock(head):
		kind = hdf5
	case kind == octets && binaries[ext] != "":
		kind = binaries[ext]
	case guesses[kind] && texts[ext] != "" && texts[ext] != kind:
		kind, params = texts[ext], nil
	}
	if kind == hdf5 && inHDF5[ext] != "" {
		kind = inHDF5[ext]
	}
	if cs := kind + "; charset=" + params["charset"]; oneType.MatchString(cs) {
		return cs
	}
	if oneType.MatchString(kind) {
		return kind
	}
	return octets
}

// hasUserBlock reports whether an HDF5 signature follows a user block that fits in the head.
func hasUserBlock(head []byte) bool {
	for _, at := range []int{512, 1024, 2048} {
		if len(head) > at && bytes.HasPrefix(head[at:], hdf5Magic) {
			return true
		}
	}
	return false
}
