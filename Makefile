# Taper. `make run` serves it, `make test` runs all tests. Both install what they
# need and can be repeated.

LISTEN  ?= 127.0.0.1:8080
VERSION ?= $(shell git describe --tags --dirty 2>/dev/null || echo 0.1.0-$$(git rev-parse --short HEAD 2>/dev/null || echo source))

.PHONY: run build test lint generate assets studies paper-data bench bench-main bench-peers bench-science bench-crash bench-crash-reach bench-reach bench-faults bench-browser bench-structure bench-intake bench-load bench-mutants bench-power bench-attack bench-peaks bench-growth reference fuzz notices release tools

# Builds and serves; LISTEN=HOST:PORT for another address.
run: build
	./taper -listen $(LISTEN)

# One static program, ./taper.
build: assets
	scripts/build $(VERSION) -o taper ./cmd/web
	@ls -l taper | awk '{ printf "taper is %.1f MB (at most 45)\n", $$5 / 1e6 }'

# All tests, in Chromium too; 30 to 35 minutes on 2 cores.
test:
	@scripts/test

# Format, vet, staticcheck, generated files; the first part of test.
lint:
	@scripts/lint

# The generated Go of the templates and the assembly of the loops over rows, to be committed.
generate: tools
	go tool templ fmt web/templates
	go tool templ generate
	go generate ./internal/engine/vector

# Browser code. The third-party part is installed when the lock file changed, and
# built when the installation, the build script or one of our modules changed.
assets: tools web/static/vendor/echarts.js.gz

node_modules/.stamp: package-lock.json package.json
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

web/static/vendor/echarts.js.gz: node_modules/.stamp web/static/build.mjs web/static/echarts.mjs $(wildcard web/static/js/*.js)
	node web/static/build.mjs

# The times of the main use, beside their targets.
bench-main: assets
	bench/main.sh

# Ratios to scikit-learn, xgboost, libsvm and to reading the memory, beside their targets.
bench-peers:
	bench/peers.sh

# The papers' numbers by our trainers beside the published ones; exit 1 if one does not replicate.
# SIZE=full runs the papers' own sizes.
bench-science:
	go run ./bench/science -size $(or $(SIZE),quick)

# Recompute the stored results in the program: SIZE=full for the papers'
# own sizes, PRESET=ID,… for some. The same version and day give the same files.
studies:
	go run ./bench/store -preset $(or $(PRESET),all) -size $(or $(SIZE),quick) -date $(or $(DATE),$(shell date -u +%F)) -as $(VERSION)

# The papers' data that Debian has, as CSV into bench/paperdata/out, for results on
# them: PRESET=sets make studies.
paper-data:
	bench/paperdata/main.sh

# Benchmarks; compare ratios within one run only.
bench:
	go test -run '^$$' -bench . -benchmem ./...

# Five hundred kills of the store's program and as many of the server, N others; the log
# goes to docs/crash.log. `make test` does ten.
bench-crash:
	@all=$$(mktemp); nice env TAPER_CRASH=$(or $(N),500) go test -count 1 -timeout 180m -v -run Crash \
		./internal/store ./internal/web >$$all; ended=$$?; \
	sed -n 's/^ *[a-z_]*crash_test.go:[0-9]*: //p' $$all >docs/crash.log; grep -v ', kill ' docs/crash.log; \
	[ $$ended = 0 ] || grep -v '^=== ' $$all | tail -50; rm $$all; exit $$ended

# Five hundred kills, N others, of a worker, the coordinator or the queue, each a process of its own;
# `make test` does twenty.
bench-crash-reach:
	TAPER_CRASH=$(or $(N),500) go test -count 1 -timeout 180m -v -run ReachCrash ./cmd/web | grep -v '^=== '

# The use of worker machines: the units per second that a coordinator stores from sleeping workers, its
# memory, and the speed-up of a study by a second worker.
bench-reach:
	go run ./bench/reach

# Every disk operation of the store's use cases fails in every way;
# `make test` draws some.
bench-faults:
	TAPER_FAULTS=all go test -count 1 -timeout 180m -v -run DiskFaults ./internal/store | grep -v '^=== \|^ *--- PASS'

# Every method of the playground on every generator; `make test` draws each
# once. Then the time from a slider move to its paint, in units of one bare
# chart drawn in the same run, and the time to the first chart of a cold landing page.
bench-browser: assets
	TAPER_PAIRS=1 go test -count 1 -p 1 -parallel 1 -timeout 60m -v -run 'PlaygroundPairs|PlaygroundFlat|MovesInUnits|Crowd|LandingCold|StratifyDrag' ./internal/web ./internal/web/page/playground

# Lines, long lines, comments, and upward dependencies in each package.
bench-structure:
	@go run ./bench/structure

# The share of flaws in generated files that the data checks notice, and their
# false alarms; DATA=FOLDER lists the questions about real files.
bench-intake:
	go run ./bench/intake -data $(or $(DATA),../shared/data)

# Response times for many users: pages, slider moves, saved runs and exports in a fixed
# mix; USERS and SECONDS of each run, PROFILE=FILE for a CPU profile of the server.
bench-load:
	go run ./bench/load $(if $(USERS),-users $(USERS)) $(if $(SECONDS),-seconds $(SECONDS)) $(if $(PROFILE),-profile $(PROFILE))

# The share of random changes of the engine and the store that the tests notice;
# exit 1 under 90 %. N mutants, SEED of the draw, PKG for one package, STATE for a
# file of results, so that an interrupted run can continue.
bench-mutants:
	nice go run ./bench/mutants -n $(or $(N),150) -seed $(or $(SEED),1) $(if $(PKG),-pkg $(PKG)) \
		$(if $(STATE),-state $(STATE))

# Which verdicts on the papers notice wrong implementations of their methods; exit 1
# if neither a verdict nor a golden test does. ONLY=TEXT for changes with this name.
bench-power:
	nice go run ./bench/power $(if $(ONLY),-only '$(ONLY)')

# Attacks by clients, broken programs and broken machines; exit 1 if the program does not
# withstand one. TAPER=FILE for another build, ONLY=TEXT for some.
# `make test` does the same with smaller sizes.
bench-attack:
	go run ./bench/attack $(if $(TAPER),-taper $(TAPER)) $(if $(ONLY),-only '$(ONLY)')

# Estimates of memory beside the memory used, for each kind of cost in its own process; ONLY=TEXT for some.
bench-peaks:
	go run ./bench/peaks $(if $(ONLY),-only '$(ONLY)')

# How the time of a fit grows with rows, columns, boundaries and classes; ONLY=TEXT for some methods.
bench-growth:
	go run ./bench/growth $(if $(ONLY),-only '$(ONLY)')

# Recompute the reference values by R's rms, pROC and others and by scikit-learn;
# skipped if R is not installed. The tests read the stored values.
reference:
	bench/reference/main.sh

# Random tests: every property with several seeds, then ten minutes for every
# parser; inputs that reach new code are kept, and docs/fuzz.md counts executions.
# `make test` uses one seed and the kept inputs.
fuzz:
	RAPID_CHECKS=2000 go test -count 1 ./internal/engine/stat ./internal/engine/table ./internal/engine/prep \
		./internal/engine/loss ./internal/engine/synth ./internal/viz ./internal/web/page/report
	go run ./bench/fuzz -seconds $(or $(SECONDS),600) $(if $(MATCH),-match '$(MATCH)')

# The licences of the program and its libraries, to be committed, after a change of go.mod or package-lock.json.
notices: assets
	go run ./bench/notices

# The distributed files, into dist: a program for each system and processor, a container image, SBOM, licences, hashes.
# Everything is built twice and compared; TARGETS=linux/amd64,… for some.
release: assets
	go run ./bench/release -version $(VERSION) $(if $(TARGETS),-targets $(TARGETS))

# Checks the tools that a build needs.
tools:
	@scripts/tools
