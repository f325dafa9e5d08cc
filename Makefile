# make check   everything a change must pass; it installs what it needs
# make build   one static binary, ./alcove
# make realrun deposit 1,190 real records into a fresh server and verify them from outside
# make soak-upload  a large file, with the server killed half-way
# make coverage  say in docs/coverage.md which tests show what
# make bench   measure against other servers in one run, written to bench/RESULTS.md (some
#              six minutes; BENCH_TEXTS=DIR takes real titles and summaries from DIR/*.tsv)
# make bench-large  the same with 1,000,000 items, bench/RESULTS-large.md (see bench/README.md)

STATICCHECK = go tool -modfile=tools/go.mod staticcheck

.PHONY: check tools lint test build realrun realrun-interrupted soak-upload bench bench-large bench-hot bench-check contenders coverage

check: tools lint test

# What the tests need besides Go: curl walks through the README, the race detector
# needs a C compiler.
tools:
	@for t in curl gcc git; do \
	  command -v $$t >/dev/null && continue; \
	  echo "installing $$t"; \
	  as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	  $$as_root apt-get update -qq && $$as_root apt-get install -y -qq --no-install-recommends $$t libc6-dev || exit 1; \
	done

lint:
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "not formatted: $$unformatted"; exit 1; }
	go vet ./...
	$(STATICCHECK) ./...

test:
	go test -race -timeout 30m ./...

build:
	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o alcove .

realrun:
	go run ./cli/realrun

realrun-interrupted:
	go run ./cli/realrun -interrupt

soak-upload:
	go test -count=1 -v -run TestUploadSurvivesKill . -upload-size 200000000

coverage:
	go test -count=1 . -update-coverage

bench: contenders bench-check
	cd bench && go run .

bench-large: contenders bench-check
	cd bench && go run . -items 1000000 -each 1s -out RESULTS-large.md

# Go's benchmarks of single paths; compare two runs with benchstat.
bench-hot:
	go test -run '^$$' -bench . -benchmem ./...

# The contenders are a module of their own, which nothing else sees.
bench-check:
	cd bench && go vet ./... && go test ./...

contenders:
	@command -v nginx >/dev/null && exit; \
	echo "installing nginx"; \
	as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	{ $$as_root apt-get update -qq && $$as_root apt-get install -y -qq --no-install-recommends nginx-light; } || \
	echo "nginx cannot be installed and is left out"
