# Taper. `make run` serves it, `make test` proves it. Both install what they
# need and can be repeated at will.

LISTEN  ?= 127.0.0.1:8080
VERSION ?= $(shell git describe --tags --dirty 2>/dev/null || echo 0.1.0-$$(git rev-parse --short HEAD 2>/dev/null || echo source))

.PHONY: run build test lint generate assets studies paper-data bench bench-main bench-science bench-crash bench-crash-reach bench-reach bench-faults bench-browser bench-structure bench-intake bench-load bench-mutants bench-power bench-attack bench-peaks reference fuzz notices release tools

# Builds and serves; LISTEN=HOST:PORT for another address.
run: build
	./taper -listen $(LISTEN)

# One static program, ./taper.
build: assets
	scripts/build $(VERSION) -o taper ./cmd/web
	@ls -l taper | awk '{ printf "taper is %.1f MB (at most 45)\n", $$5 / 1e6 }'

# Everything that must hold, in Chromium too; about 8 minutes on 2 cores.
test:
	@scripts/test

# Format, vet, staticcheck, generated files; the first part of test.
lint:
	@scripts/lint

# The Go of the templates, to be committed with them.
generate: tools
	go tool templ fmt web/templates
	go tool templ generate

# Browser code. The third-party part goes by the lock file: installed when the
# lock changed; built when the installation, the recipe or a module of ours did.
assets: tools web/static/vendor/echarts.js

node_modules/.stamp: package-lock.json package.json
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

web/static/vendor/echarts.js: node_modules/.stamp web/static/build.mjs web/static/echarts.mjs $(wildcard web/static/js/*.js)
	node web/static/build.mjs

# The figures the main job must reach, beside their targets.
bench-main: assets
	bench/main.sh

# The papers' numbers by our own trainers beside the reference; exit 1 on a miss.
# SIZE=full runs the papers' own sizes.
bench-science:
	go run ./bench/science -size $(or $(SIZE),quick)

# The results that ship with the program, made again: SIZE=full for the papers'
# own sizes, PRESET=ID,… for some. The same version and day write the same files.
studies:
	go run ./bench/store -preset $(or $(PRESET),all) -size $(or $(SIZE),quick) -date $(or $(DATE),$(shell date -u +%F)) -as $(VERSION)

# The papers' data that Debian has, as CSV into bench/paperdata/out, for results on
# them: PRESET=sets make studies.
paper-data:
	bench/paperdata/main.sh

# Benchmarks: ratios within one run are what counts.
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

# What many machines bring: the units a second that a coordinator stores from workers that sleep, its
# memory, and a study with two workers beside one.
bench-reach:
	go run ./bench/reach

# Every operation of the disk that a use case of the store needs, failed in every way;
# `make test` draws some.
bench-faults:
	TAPER_FAULTS=all go test -count 1 -timeout 180m -v -run DiskFaults ./internal/store | grep -v '^=== \|^ *--- PASS'

# Every method of the playground on every generator; `make test` takes each
# once. Then what a move of a slider takes until it is painted, in units of one bare
# chart drawn in the same run, and how long the first chart of a cold landing takes.
bench-browser: assets
	TAPER_PAIRS=1 go test -count 1 -timeout 60m -v -run 'PlaygroundPairs|PlaygroundFlat|MovesInUnits|Crowd|LandingCold|StratifyDrag' ./internal/web ./internal/web/page/playground

# Lines, long lines, comments, and arrows that run upwards in each package.
bench-structure:
	@go run ./bench/structure

# What the data checks notice of flaws put into generated files, and their
# false alarms; DATA=FOLDER lists what they say of real files.
bench-intake:
	go run ./bench/intake -data $(or $(DATA),../shared/data)

# What many users meet: pages, moves of sliders, saved runs and exports in a stated
# mix; USERS and SECONDS of each run, PROFILE=FILE for a CPU profile of the server.
bench-load:
	go run ./bench/load $(if $(USERS),-users $(USERS)) $(if $(SECONDS),-seconds $(SECONDS)) $(if $(PROFILE),-profile $(PROFILE))

# What the tests notice of changes drawn at random from the engine and the store;
# exit 1 under 90 %. N mutants, SEED of the draw, PKG for one package, STATE for a
# file of verdicts, so that a run that was stopped goes on.
bench-mutants:
	nice go run ./bench/mutants -n $(or $(N),150) -seed $(or $(SEED),1) $(if $(PKG),-pkg $(PKG)) \
		$(if $(STATE),-state $(STATE))

# Which verdict on the papers notices wrong implementations of their methods; exit 1
# where none does and no golden test either. ONLY=TEXT for the changes so named.
bench-power:
	nice go run ./bench/power $(if $(ONLY),-only '$(ONLY)')

# What strangers, broken programs and broken machines do to the program, and what holds;
# exit 1 where one thing does not. TAPER=FILE for another build, ONLY=TEXT for some.
# `make test` does the same with smaller sizes.
bench-attack:
	go run ./bench/attack $(if $(TAPER),-taper $(TAPER)) $(if $(ONLY),-only '$(ONLY)')

# Estimates of memory beside what is taken, kind by kind, each by a process of its own; ONLY=TEXT for some.
bench-peaks:
	go run ./bench/peaks $(if $(ONLY),-only '$(ONLY)')

# What R's rms, pROC and others and scikit-learn say of the same rows, again;
# skipped where R is absent. The tests read the stored values.
reference:
	bench/reference/main.sh

# What is tried at random: every property with seeds of its own, then ten
# minutes for every parser; what reaches new code is kept, and docs/fuzz.md counts.
# `make test` takes one seed and the inputs kept.
fuzz:
	RAPID_CHECKS=2000 go test -count 1 ./internal/engine/stat ./internal/engine/table ./internal/engine/prep \
		./internal/engine/loss ./internal/engine/synth ./internal/viz ./internal/web/page/report
	go run ./bench/fuzz -seconds $(or $(SECONDS),600) $(if $(MATCH),-match '$(MATCH)')

# The licences of the program and its libraries, to be committed, after a change of go.mod or package-lock.json.
notices: assets
	go run ./bench/notices

# What others run, into dist: a program for each system and processor, an image for containers, SBOM, licences, hashes.
# Everything is built twice and compared; TARGETS=linux/amd64,… for some.
release: assets
	go run ./bench/release -version $(VERSION) $(if $(TARGETS),-targets $(TARGETS))

# Says what a build lacks.
tools:
	@scripts/tools
