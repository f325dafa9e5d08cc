# make check   everything a change must pass; it installs what it needs
# make build   one static binary, ./alcove
# make realrun deposit 1,190 real records into a fresh server and verify them from outside
# make soak-upload  500 uploads that everything happens to (SEED=N plays the same again), and
#              large files with the server killed half-way: about half an hour and 20 GB of disk
# make soak-index  20,000 items, with the index deleted, cut off and damaged under load and at
#              rest, and the server killed 100 times while it writes (some ten minutes)
# make soak-archive  10,000 files and 5 GiB as one zip, broken off and continued
# make bench-files  files beside nginx, dd, md5 and zip, written to bench/RESULTS-files.md
# make coverage  say in docs/coverage.md which tests show what
# make bench   measure against other servers in one run, written to bench/RESULTS.md (some
#              six minutes; BENCH_TEXTS=DIR takes real titles and summaries from DIR/*.tsv)
# make bench-large  the same with 1,000,000 items, bench/RESULTS-large.md (see bench/README.md)

STATICCHECK = go tool -modfile=tools/go.mod staticcheck
BENCHSTAT = go tool -modfile=tools/go.mod benchstat

.PHONY: check tools lint test build realrun realrun-interrupted soak-upload soak-index soak-archive bench bench-files bench-large bench-large-corpus bench-hot bench-check contenders coverage

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

SEED = 0
soak-upload:
	go test -count=1 -v -timeout 2h -run TestUploadSchedules . -upload-schedules 500 -upload-seed $(SEED)
	go test -count=1 -v -run TestUploadSurvivesKill . -upload-size 200000000
	go test -count=1 -v -timeout 30m -run TestUploadSurvivesKill . -upload-size 3221225472

soak-index:
	go test -count=1 -v -timeout 40m -run TestIndexSurvives . -soak-items 20000 -soak-kills 100

soak-archive:
	go test -count=1 -v -timeout 30m -run TestLargeArchive . -archive-files 10000 -archive-size 5368709120

coverage:
	go test -count=1 . -update-coverage

bench: contenders bench-check
	cd bench && go run .

bench-files: contenders bench-check
	cd bench && go run . files

bench-large: contenders bench-check
	cd bench && go run . -items 1000000 -in-place -each 1s -out RESULTS-large.md

# Makes and loads what bench-large needs, and ends: some twenty minutes.
bench-large-corpus: contenders
	cd bench && go run . -items 1000000 -prepare

# Go's benchmarks of single paths, COUNT times each, into bench/hot.txt. With OLD=FILE of an
# earlier run benchstat says what differs, and what of that may be chance.
COUNT = 6
HOT = .
bench-hot:
	go test -run '^$$' -bench '$(HOT)' -benchmem -count $(COUNT) -timeout 1h ./... > bench/hot.txt || { cat bench/hot.txt; exit 1; }
	$(BENCHSTAT) $(OLD) bench/hot.txt

# The contenders are a module of their own, which nothing else sees.
bench-check:
	cd bench && go vet ./... && go test ./...

contenders:
	@command -v nginx >/dev/null && exit; \
	echo "installing nginx"; \
	as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	{ $$as_root apt-get update -qq && $$as_root apt-get install -y -qq --no-install-recommends nginx-light; } || \
	echo "nginx cannot be installed and is left out"
