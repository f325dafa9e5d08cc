# make check   everything a change must pass; it installs what it needs
# make races   all tests with the race detector, also those that run the server in their own process
# make quick   in about a minute: what a change most often breaks
# make build   one static binary, ./alcove
# make security  gosec with the triage of tools/gosec, and govulncheck (VULNDB=URL for another
#              database than vuln.go.dev, as file:///srv/vulndb)
# make reproducible  build the last commit twice, in two places, and compare the bytes
# make release VERSION=1.2.3   the last commit for six systems: archives, .deb, .rpm, checksums and bills of
#              materials, in dist/1.2.3 (TARGETS="linux/amd64" for fewer; make reproducible VERSION=1.2.3
#              makes them twice and compares)
# make check-packages  the ten tasks of an administrator on an empty Debian, with the .deb of the last commit
# make check-proxies   nginx, Caddy and Apache in front, with the configurations of packaging/proxies
# make sbom    what ./alcove is made of, as CycloneDX, in alcove.cdx.json
# make licences  the libraries in ./alcove with their licences; fails for one that is not allowed
# make check-formats  what citation-js and structured-data-testing-tool read in the formats of the real
#              records, and whether their XML is valid
# make check-oai  HTTP::OAI and Catmandu::OAI harvest 20,000 records, the first while they change
# make engines the store and five themes of tests on another engine, in memory
# make realrun deposit 1,190 real records into a fresh server and verify them from outside
# make soak-upload  500 uploads that everything happens to (SEED=N plays the same again), and
#              large files with the server killed half-way: about half an hour and 20 GB of disk
# make soak-index  20,000 items, with the index deleted, cut off and damaged under load and at
#              rest, and the server killed 100 times while it writes (some ten minutes)
# make soak-flips   1,000 bits flipped in a database and 1,000 in blobs, one at a time: each is
#                   named by the check, and nothing wrong is answered (SEED=n for other bits)
# make soak-backup  50 backups under write load, each restored and compared, and 40 killed on
#              their way (some ten minutes)
# make soak-slow   1,000 and 5,000 slow connections of each kind for a minute (some 15 minutes)
# make soak-memory  200 parts at a time and a search load in 512 MiB (as root, for the limit)
# make testssl     what testssl says of the server's TLS
# make soak-archive  10,000 files and 5 GiB as one zip, broken off and continued
# make fuzz    every fuzz target for FUZZTIME each (5m: some two and a half hours), noted in
#              tests/testdata/fuzz.tsv; FUZZ=NAME runs those whose names contain it; make fuzz-total
#              adds up what was noted
# make soak-state   1,000 random sequences of calls compared with a model (SEED=N)
# make soak-pack  200 articles and 28 collections into packages and back, each form compared
# make soak-races   each race a thousand times, with the race detector
# make torture kill -9 1,000 times, cut the power 300 times on ext4 and 100 on xfs (as root),
#              and more, noted in tests/testdata/torture.tsv: about an hour; make torture-total adds up
#              what was noted; make torture-planted looks that each planted bug is found
# make bench-files  files beside nginx, dd, md5 and zip, written to bench/RESULTS-files.md
# make check-site  every page in Chromium, at each width, light and dark, under the rules of axe, the
#                  validator of the W3C and Lighthouse; what is written into any field; all real
#                  records (some fifteen minutes; PICTURES=DIR keeps what was seen)
# make check-people  the long journeys of people in Chromium: 500 files in a folder, with the network cut
#              and the page reloaded on the way; OAuth 2.0 with openid-client (npm) and requests-oauthlib (Debian);
#              signing in at oidc-provider (npm), slapd and behind nginx (Debian), mail by aiosmtpd (Debian); 200 who sign in at once
# make bench-site  pages with 100,000 items, beside the API, written to bench/RESULTS-site.md
# make coverage  say in tests/testdata/coverage.md which tests show what
# make router  copy router.go for the tests
# make clients  openapi-generator's clients in Go and TypeScript, and hey-api's, made of our own
#              description, compile; java and npm are needed
# make client-python  the Python client that openapi-generator makes of the public description
#              (SWAGGER=FILE) calls all its operations; java and python3 are needed
# make bench   measure against other servers in one run, written to bench/RESULTS.md (some
#              six minutes; BENCH_TEXTS=DIR takes real titles and summaries from DIR/*.tsv)
# make bench-bounds  each list of a record at its bound, changed while eight others write, and
#              alcove check of 100,000 items with and without ten such; make bench-ids  whether
#              time tells a foreign id from an unknown one
# make bench-large  the same with 1,000,000 items, bench/RESULTS-large.md (see bench/README.md)

STATICCHECK = go tool -modfile=tools/go.mod staticcheck
BENCHSTAT = go tool -modfile=tools/go.mod benchstat

.PHONY: release check-packages check-proxies check-alerts quick races engines clients client-python soak-slow soak-memory soak-http testssl check tools lint test build realrun realrun-interrupted soak-upload soak-index soak-archive soak-backup soak-flips bench bench-files bench-site check-site check-people bench-large bench-large-corpus bench-hot bench-bounds bench-ids bench-check contenders coverage router security reproducible sbom licences fuzz fuzz-total soak-state soak-pack soak-races torture torture-planted torture-tools torture-total

check: tools lint torture-total test

# What the tests need besides Go: curl walks through the README, the race detector
# needs a C compiler, certificates are obtained from pebble, a test authority, strace shows the
# order of what reaches the disk, wget follows links, mandoc reads the manual pages, and chromium
# opens the pages.
tools:
	@for t in chromium curl gcc git mandoc pebble strace wget; do \
	  command -v $$t >/dev/null && continue; \
	  echo "installing $$t"; \
	  as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	  $$as_root apt-get update -qq && $$as_root apt-get install -y -qq --no-install-recommends $$t libc6-dev || exit 1; \
	done

# The last of it type-checks the program for all systems that it is released for.
lint:
	@echo "looking at the code: gofmt, go vet, staticcheck"
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "not formatted: $$unformatted"; exit 1; }
	go vet ./...
	go vet -tags memory ./bucket ./tests/world && go vet -tags hooks ./bucket ./cli && go vet -tags planted ./bucket ./uploads ./blobs/dir
	$(STATICCHECK) ./...
	cd tools && go test ./licences && go run ./licences -q .. && go run ./crossvet ..

# promtool of Debian's package prometheus, which is not installed for that: it would start a server.
check-alerts:
	@set -e; d=$$(mktemp -d); trap 'rm -rf '$$d EXIT; p=$$(command -v promtool || true); \
	if [ -z "$$p" ]; then chmod 755 $$d; (cd $$d && apt-get download -qq prometheus && dpkg-deb -x prometheus_*.deb .); p=$$d/usr/bin/promtool; fi; \
	$$p check rules docs/monitoring/alerts.yml

# With the race detector run the packages in which goroutines share memory, but for a few tests of much data (ALONE), and
# the tests of the running program in which several things happen at once, by their names (AT_ONCE): it makes a test take
# three to seven times as long, and `make races` runs all with it. Each theme writes down what it saw of the API, and the
# last line but one holds that against the table of coverage. `lint` has run go vet on all of it.
PLAIN = . ./cli/demo/... ./cli/deposit/... ./config/... ./docs/... ./formats/... ./record/... ./site/... ./blobs/thumbs/...
ALONE = ^Test(UnknownMembers.*|Backlog|Compact(Killed|Damaged|Leftover)|WalkEndsWhenMuchIsWritten|EveryFileDamaged|IndexOfManyIsMadeSoon|WaitingEntries)$$
AT_ONCE = Race|AtOnce|Concurrent|Parallel|While|Beside
GO_TEST = (cd tools && $(1) go run ./progress .. -vet=off -p 2 -parallel 4 -timeout 30m $(2))
test:
	@set -e; d=$$(mktemp -d); trap 'rm -rf '$$d EXIT; export TEST_EXCHANGES=$$d; \
	themes=$$(go list ./tests/...); plain=$$(go list $(PLAIN)); raced=$$(go list ./... | grep -v -x -F "$$themes" | grep -v -x -F "$$plain"); \
	$(call GO_TEST,,$$plain); \
	$(call GO_TEST,,-run '$(ALONE)' alcove/bucket alcove/index); \
	$(call GO_TEST,,-race -skip '$(ALONE)' $$raced); \
	$(call GO_TEST,TEST_RACE=1,-run '$(AT_ONCE)' $$themes); \
	$(call GO_TEST,,$$themes); \
	go test -run TestExchanges ./tests/stories -exchanges $$d; \
	echo "the store on another engine, in memory"; go test -vet=off -tags memory ./bucket/... ./tests/collections

# The themes that need no store which outlives the server, on the engine in memory, but for the tests that do.
LASTING = TestOldDates|TestRebuild|TestOwnSearchReadsYourWrites|TestAuditVerify|TestDataDirectoryOpenToOthers|TestAccesses|TestFirstRun
engines:
	go test -tags memory -p 2 -parallel 4 -skip '$(LASTING)' ./bucket/... ./tests/articles ./tests/collections ./tests/projects ./tests/search ./tests/people

# Everything with the race detector, the tests that run the server in their own process too.
races:
	TEST_RACE=1 go test -race -p 2 -parallel 4 -timeout 60m ./...

# The tables that name every route, field, word and import, the units, and who gets what.
quick:
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "not formatted: $$unformatted"; exit 1; }
	go vet ./...
	go test . ./record/... ./config ./handlers/... ./site ./check ./uploads ./cli
	go test -run 'TestRoutes|TestAuthorisation|TestDescription|TestDocumentedKeys|TestGoroutines|TestStories' ./tests/access ./tests/articles ./tests/crash ./tests/stories

# The same commit gives the same bytes, wherever it is built: no paths, no C compiler, no times.
# The commit itself is in the binary, where git knows it (alcove version).
BUILD = CGO_ENABLED=0 go build -trimpath -buildvcs=auto -ldflags='-s -w' -o alcove .
build:
	$(BUILD)

# VERSION is that of a release; TARGETS, the systems that it is made for, all by default.
VERSION =
TARGETS =
release:
	@[ -n '$(VERSION)' ] || { echo 'make release VERSION=1.2.3'; exit 2; }
	@set -e; d=$$(mktemp -d); trap 'rm -rf '$$d EXIT; git clone -q . $$d/alcove; \
	cd tools; go run ./release -version '$(VERSION)' -from $$d/alcove -to ../dist/$(VERSION) $(TARGETS)

reproducible:
	@set -e; [ -z '$(VERSION)' ] || { a=$$(mktemp -d); b=$$(mktemp -d)/elsewhere; trap 'rm -rf '$$a' '$${b%/*} EXIT; \
	git clone -q . $$a/alcove; git clone -q . $$b; cd tools; \
	go run ./release -version '$(VERSION)' -from $$a/alcove -to $$a/dist $(TARGETS) >/dev/null; \
	GOCACHE=$$b.cache go run ./release -version '$(VERSION)' -from $$b -to $$b.dist $(TARGETS) >/dev/null; \
	cat $$a/dist/SHA256SUMS; diff -r $$a/dist $$b.dist; echo "all are the same"; exit; }; \
	 a=$$(mktemp -d); b=$$(mktemp -d)/elsewhere; trap 'rm -rf '$$a' '$${b%/*} EXIT; \
	for d in $$a/alcove $$b; do git clone -q . $$d; done; \
	(cd $$a/alcove && $(BUILD)); (cd $$b && GOCACHE=$$b.cache $(BUILD)); \
	sha256sum $$a/alcove/alcove $$b/alcove; cmp $$a/alcove/alcove $$b/alcove; echo "both are the same"

sbom: build
	cd tools && go run ./sbom ../alcove > ../alcove.cdx.json
	@echo "alcove.cdx.json: $$(grep -c '"library"' alcove.cdx.json) libraries"

licences:
	@cd tools && go run ./licences ..

# govulncheck needs the database of vulnerabilities. Where it cannot be had nothing is known, and
# the target fails, as it does with a finding.
VULNDB = https://vuln.go.dev
security:
	cd tools && go run ./gosec ..
	@set -e; d=$$(mktemp -d); trap 'rm -rf '$$d EXIT; \
	go build -modfile=tools/go.mod -o $$d/govulncheck golang.org/x/vuln/cmd/govulncheck; \
	code=0; $$d/govulncheck -db $(VULNDB) ./... || code=$$?; \
	case $$code in \
	0) ;; \
	3) echo "govulncheck: the program calls what is vulnerable"; exit 1;; \
	*) echo "govulncheck: NOT DONE, see above; without its database nothing is known of vulnerabilities"; exit 1;; \
	esac

realrun:
	go run ./tests/realrun

realrun-interrupted:
	go run ./tests/realrun -interrupt

SEED = 0
soak-upload:
	go test -count=1 -v -timeout 2h -run TestUploadSchedules ./tests/load -upload-schedules 500 -upload-seed $(SEED)
	go test -count=1 -v -run TestUploadSurvivesKill ./tests/crash -upload-size 200000000
	go test -count=1 -v -timeout 30m -run TestUploadSurvivesKill ./tests/crash -upload-size 3221225472

soak-index:
	go test -count=1 -v -timeout 40m -run TestIndexSurvives ./tests/crash -soak-items 20000 -soak-kills 100

soak-flips:
	go test -count=1 -timeout 2h -v -run 'TestFlippedDatabase|TestFlippedBlobs|TestRepairDatabase' ./tests/crash -flips-database 1000 -flips-blobs 1000 $(if $(SEED),-flips-seed $(SEED))

soak-backup:
	go test -count=1 -v -timeout 1h -run TestHotBackups ./tests/crash -backups 50
	go test -count=1 -v -timeout 30m -run TestBackupKilled ./tests/crash -backup-kills 40

soak-slow:
	go test -count=1 -v -timeout 30m -run TestSlowConnections ./tests/load -slow-clients 1000 -slow-for 60s -slow-timeout 10s -slow-file 67108864 -slow-strict
	go test -count=1 -v -timeout 30m -run TestSlowConnections ./tests/load -slow-clients 5000 -slow-for 60s -slow-timeout 10s -slow-file 67108864

soak-memory:
	go test -count=1 -v -timeout 30m -run TestMemoryLimit ./tests/load -memory-parts 200 -memory-for 30s

# Floods of HTTP/2 frames, and clients that vanish.
soak-http:
	go test -count=1 -v -timeout 30m -run 'TestAbuseHTTP2|TestAbuseVanishing' ./tests/access -floods 100000 -vanishing 10000

testssl:
	@command -v testssl >/dev/null || { as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	  $$as_root apt-get update -qq && $$as_root apt-get install -y -qq --no-install-recommends testssl.sh; }
	tools/testssl.sh

soak-archive:
	go test -count=1 -v -timeout 30m -run TestLargeArchive ./tests/load -archive-files 10000 -archive-size 5368709120

FUZZTIME = 5m
FUZZ =
fuzz:
	go run ./tests/fuzz -time $(FUZZTIME) -only '$(FUZZ)'

fuzz-total:
	go run ./tests/fuzz -total

soak-state:
	go test -count=1 -v -timeout 3h -run TestState ./tests/load -state-sequences 1000 -state-seed $(SEED)

soak-pack:
	go test -count=1 -v -timeout 1h -run TestPackRoundTrip ./tests/load -pack-articles 200

soak-races:
	go test -race -count=1 -v -timeout 3h -run TestRace ./tests/load -races 1000

PICTURES =
check-site:
	@set -e; d=$$(mktemp -d); trap 'rm -rf '$$d EXIT; \
	npm install --silent --no-save --prefix $$d axe-core@4.14.1 vnu-jar@26.9.27 lighthouse@12.8.2; n=$$d/node_modules; \
	go test -count=1 -v -timeout 60m ./tests/browser -axe $$n/axe-core/axe.min.js -vnu $$n/vnu-jar/build/dist/vnu.jar -lighthouse $$n/.bin/lighthouse -pictures '$(PICTURES)'

check-people: contenders
	@set -e; d=$$(mktemp -d); trap 'rm -rf '$$d EXIT; \
	as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	/usr/bin/python3 -c 'import requests_oauthlib, aiosmtpd' && [ -x /usr/sbin/slapd ] || \
	{ $$as_root apt-get update -qq && $$as_root apt-get install -y -qq --no-install-recommends python3-requests-oauthlib python3-aiosmtpd slapd; }; \
	npm install --silent --no-save --prefix $$d openid-client@6.8.9 oidc-provider@9.13.3; \
	go test -count=1 -v -run 'TestOAuthOtherClients|TestProviderOther|TestMailOther|TestDirectory|TestProxySignIn|TestSignInStorm' ./tests/people \
	-oauth-modules $$d -oauth-python /usr/bin/python3 -oidc-modules $$d -mail-python /usr/bin/python3 -sign-ins 200
	go test -count=1 -v -timeout 30m -run 'TestUploadInBrowser|TestFirstRunToDownload' ./tests/browser -upload-files 500

# The configurations for proxies, started for real.
check-proxies:
	@command -v nginx >/dev/null && command -v caddy >/dev/null && command -v apache2 >/dev/null || { \
	  as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; $$as_root apt-get update -qq && \
	  RUNLEVEL=1 $$as_root apt-get install -y -qq --no-install-recommends nginx-light caddy apache2; }
	go test -count=1 -v -run TestProxies ./tests/access -proxies

# The packages of the last commit, tried on an empty Debian, after those of an earlier one: the first with all files of packages.
EARLIER = ca43bb3
check-packages:
	@set -e; as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	for t in debootstrap shellcheck mandoc rpm systemd-analyze; do command -v $$t >/dev/null && continue; \
	  $$as_root apt-get update -qq && $$as_root apt-get install -y -qq --no-install-recommends debootstrap shellcheck mandoc rpm systemd; break; done; \
	shellcheck packaging/*.sh packaging/alcovectl tools/packages.sh; \
	d=$$(mktemp -d); trap 'rm -rf '$$d EXIT; sed 's,/usr/bin/alcove,/bin/true,' packaging/alcove.service > $$d/alcove.service; \
	systemd-analyze verify $$d/alcove.service; systemd-analyze security --offline=true --threshold=19 packaging/alcove.service > $$d/exposed || { cat $$d/exposed; exit 1; }; tail -n 1 $$d/exposed; \
	git clone -q . $$d/alcove; git clone -q . $$d/earlier; git -C $$d/earlier checkout -q $(EARLIER); cd tools; \
	go run ./release -version 0.0.1 -from $$d/earlier -to $$d/0.0.1 linux/amd64 > /dev/null; \
	go run ./release -version 0.0.2 -from $$d/alcove -to $$d/0.0.2 linux/amd64 > /dev/null; \
	rpm -qp --scripts --requires $$d/0.0.2/*.rpm > /dev/null; dpkg-deb -x $$d/0.0.2/*.deb $$d/there; \
	for page in $$d/there/usr/share/man/man1/*.gz; do mandoc -T lint -W warning $$page; done; \
	rpm --root $$d/rpm --initdb; $$as_root rpm --root $$d/rpm -i --nodeps --noscripts $$d/0.0.2/*.rpm; $$as_root chroot $$d/rpm /usr/bin/alcove version; \
	$$as_root ./packages.sh $$d/0.0.1/*.deb $$d/0.0.2/*.deb

# Others' programs read the formats, and others' schemas are held against them; and a harvester that is not ours takes
# everything while it changes. No registry of packages has the schema of CITATION.cff 1.2.0: with CFF_SCHEMA=FILE Ajv
# holds it against ours.
CSL = /usr/share/citation-style-language/styles
check-formats: xmllint
	@command -v biber >/dev/null || { as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	  $$as_root apt-get update -qq && $$as_root apt-get install -y -qq --no-install-recommends biber; }
	@[ -d $(CSL) ] || { as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	  $$as_root apt-get update -qq && $$as_root apt-get install -y -qq --no-install-recommends citation-style-language-styles; }
	@set -e; d=$$(mktemp -d); trap 'rm -rf '$$d EXIT; \
	npm install --silent --no-save --prefix $$d @citation-js/core@0.8.2 @citation-js/plugin-bibtex@0.8.2 @citation-js/plugin-ris@0.8.2 @citation-js/plugin-csl@0.8.2 structured-data-testing-tool@4.5.0 ajv@8.17.1 ajv-formats@3.0.1; \
	go test -count=1 -v -run 'TestSchemas|ReadByOthers|ReadByBiber' ./formats -citation-modules $$d/node_modules -citation-styles $(CSL) $(if $(CFF_SCHEMA),-cff-schema $(CFF_SCHEMA))

RECORDS = 20000
check-oai: xmllint
	@perl -MCatmandu::Importer::OAI -e 1 2>/dev/null || { as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	  $$as_root apt-get update -qq && $$as_root apt-get install -y -qq --no-install-recommends libhttp-oai-perl libcatmandu-oai-perl; }
	go test -count=1 -v -timeout 1h ./tests/harvest -oai-harvester perl -oai-records $(RECORDS)

xmllint:
	@command -v xmllint >/dev/null || { as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	  $$as_root apt-get update -qq && $$as_root apt-get install -y -qq --no-install-recommends libxml2-utils; }

TORTURE = go run ./tests/torture
LEDGER = tests/testdata/torture.tsv
TORTURE_TOOLS = mkfs.xfs:xfsprogs strace:strace
torture-tools:
	@for t in $(TORTURE_TOOLS); do \
	  command -v $${t%:*} >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends $${t#*:} || exit 1; }; \
	done

torture: torture-tools
	$(TORTURE) kill -cycles 1000 -ledger $(LEDGER)
	$(TORTURE) first -cycles 40 -ledger $(LEDGER)
	$(TORTURE) term -cycles 40 -ledger $(LEDGER)
	for commit in 1 5 1000; do $(TORTURE) power -cycles 100 -options commit=$$commit -ledger $(LEDGER) || exit 1; done
	$(TORTURE) power -cycles 100 -fs xfs -ledger $(LEDGER)
	$(TORTURE) ready -cycles 5 -ledger $(LEDGER)
	for from in 1 41 81 121 161; do $(TORTURE) eio -from $$from -cycles 200 -ledger $(LEDGER) || exit 1; done
	for fs in ext4 xfs; do $(TORTURE) diskfull -cycles 40 -fs $$fs -ledger $(LEDGER) || exit 1; done
	$(TORTURE) -total

torture-planted: torture-tools
	$(TORTURE) rewind -cycles 1 -ledger $(LEDGER)
	$(TORTURE) lies -cycles 5 -ledger $(LEDGER)
	for bug in no-db-sync no-blob-sync no-dir-sync ack-first; do $(TORTURE) power -cycles 50 -options commit=1000 -plant $$bug -ledger $(LEDGER) || exit 1; done
	for bug in no-db-sync no-blob-sync no-dir-sync; do $(TORTURE) power -cycles 50 -fs xfs -plant $$bug -ledger $(LEDGER) || exit 1; done
	for bug in ack-first index-first; do $(TORTURE) kill -cycles 50 -plant $$bug -ledger $(LEDGER) || exit 1; done

# What the ledger of the long runs adds up to, and how old the newest of each kind is.
torture-total:
	@$(TORTURE) -total

# The generator is the newest whose program is in the npm registry itself; later ones fetch it
# from elsewhere.
GENERATOR = openapi-generator-cli-1.0.18-4.3.1
SWAGGER = ../shared/reference/figshare-swagger-2024.json
client-python:
	@set -e; d=$$(mktemp -d); trap 'rm -rf '$$d EXIT; \
	(cd $$d && npm pack --silent @openapitools/$(subst cli-,cli@,$(GENERATOR)) && tar xzf openapitools-$(GENERATOR).tgz); \
	python3 -c 'import urllib3, six, certifi, dateutil' || python3 -m pip install --quiet urllib3 six certifi python-dateutil; \
	java -jar $$d/package/bin/openapi-generator.jar generate -i $(SWAGGER) -g python --skip-validate-spec --package-name figshare_client -o $$d/client > $$d/log 2>&1 || { cat $$d/log; exit 1; }; \
	go test -count=1 -v -run TestPythonClient ./tests/stories -python-client $$d/client -public-description $(abspath $(SWAGGER))

clients:
	@set -e; d=$$(mktemp -d); trap 'rm -rf '$$d EXIT; \
	(cd $$d && npm pack --silent @openapitools/$(subst cli-,cli@,$(GENERATOR)) && tar xzf openapitools-$(GENERATOR).tgz && \
	npm install --silent --no-save @hey-api/openapi-ts@0.95.0 typescript@5.9 axios@1 @types/node@20); \
	go test -count=1 -v -run 'TestGoClient|TestOtherClients' ./tests/stories -client-tools $$d

coverage:
	@set -e; d=$$(mktemp -d); trap 'rm -rf '$$d EXIT; export TEST_EXCHANGES=$$d UPDATE_COVERAGE=1; \
	go test -count=1 -p 2 ./tests/...; \
	go test -count=1 -run TestExchanges ./tests/stories -exchanges $$d

# The tests cannot import the program's router: they have a copy, which a test compares.
router:
	@{ printf '// Code generated from router.go by make router. DO NOT EDIT.\n\n'; sed 's/^package main$$/package routes/' router.go; } > tests/routes/router_copy.go

bench: contenders bench-check
	cd bench && go run .

bench-files: contenders bench-check
	cd bench && go run . files

bench-site: bench-check
	cd bench && go run . site

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

LIST_SECONDS = 20
CHECK_ITEMS = 100000
bench-bounds:
	go test -count=1 -v -timeout 1h -run 'TestListsUnderLoad|TestCheckOfLongLists' ./tests/load -list-seconds $(LIST_SECONDS) -check-items $(CHECK_ITEMS)

PAIRS = 20000
bench-ids:
	go test -count=1 -v -timeout 30m -run TestForeignTakesAsLong ./tests/load -id-pairs $(PAIRS)

# The contenders are a module of their own, which nothing else sees.
bench-check:
	cd bench && go vet ./... && go test ./...

contenders:
	@command -v nginx >/dev/null && exit; \
	echo "installing nginx"; \
	as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	{ $$as_root apt-get update -qq && $$as_root apt-get install -y -qq --no-install-recommends nginx-light; } || \
	echo "nginx cannot be installed and is left out"
