# Two commands: `make demo` and `make test`. Both install what is missing (Debian 12), build, and run.
BUILD ?= build
JOBS  ?= $(shell nproc)

.PHONY: all demo test build deps check check-net check-apps check-report check-package robust soak sanitize lint tidy format fuzz mutants bench figures apps install package clean help

all: build

help:
	@sed -n 's/^## //p' Makefile

## make demo        install, build, and optimise the built-in example; result in build/demo/
demo: build
	scripts/demo $(BUILD)

## make test        install, build, and run the tiers unit, lit, fuzz, check-net, check-apps, check-report, check-package and lint
test: build
	scripts/run-tests $(BUILD) unit lit fuzz check-net check-apps check-report check-package lint

## make check       unit tests under ASan and UBSan, lit tests, those of the examples, and the fuzzer's first programs (no privileges)
## make check-net   real packets between network namespaces, huge pages (root; else skipped)
## make check-apps  nDPI, nginx, Knot DNS and unbound from Debian's sources: the whole way, answers and outputs compared;
##                  nDPI's own tests with heddle cc; the optimized nDPI with other options and captures
## make check-report  the page of `heddle report` in headless Chromium; screenshots in build/tests/browser
## make check-package  the Debian package on a clean root (root, debootstrap and network; else skipped): installed with apt, a
##                  program compiled, optimized and compared, removed. Four minutes, and one where the clean root is there from before
## make robust      staged nginx and Knot: reload, log rotation, kill -9, other configurations (plans take minutes)
## make sanitize    the lit tests, too, with tools under ASan and UBSan (in build-asan)
## make lint        clang-format and clang-tidy
## make tidy        clang-tidy alone, with all its findings; a file that was clean and has not changed is passed over
check: build
	scripts/run-tests $(BUILD) unit lit fuzz

check-net check-apps check-report check-package robust sanitize lint: build
	scripts/run-tests $(BUILD) $@

## make fuzz        the nightly differential fuzzer; SEED and COUNT as you like
SEED  ?= $(shell date +%s)
COUNT ?= 2000
fuzz: build
	tests/fuzz/run --build $(BUILD) --seed $(SEED) --count $(COUNT) --dependencies

## make soak        staged nginx and upf under checked load, memory watched; DURATION in seconds
DURATION ?= 1200
soak: build
	tests/robust/soak.sh $(BUILD) $(DURATION)

## make mutants     illegal plans of the fuzzer's programs and of examples/upf: what share does the checker flag?
mutants: build
	tests/mutate/run --build $(BUILD) --seed $(SEED) --count 100
	tests/mutate/run --build $(BUILD) --seed $(SEED) --upf

## make bench       all benchmarks; JSON in build/bench/
bench: build
	scripts/run-benches $(BUILD)

## make figures     the papers' figures measured here, into docs/figures; FIGURES="nanopl_7 ..." makes some of them. Twenty minutes
figures: build
	scripts/install-deps --with-figures
	bench/figures/figures $(BUILD) $(FIGURES)

## make apps        docs/apps.md, from the real programs
apps: build
	tests/apps/table.sh $(BUILD)

build: deps
	@test -f $(BUILD)/build.ninja || cmake -S . -B $(BUILD) -G Ninja --log-level=WARNING \
	  -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 -DPython3_EXECUTABLE=/usr/bin/python3
	@ninja -C $(BUILD) -j $(JOBS) --quiet

## make install     what `heddle` needs, under PREFIX (default: /usr/local), below DESTDIR if that is set
PREFIX ?= /usr/local
install: build
	cmake --install $(BUILD) --prefix $(PREFIX)

## make package     a Debian package, in build/package
package: build
	cd $(BUILD) && cpack

deps:
	@scripts/install-deps

tidy: build
	scripts/tidy $(BUILD)

format:
	scripts/format

clean:
	rm -rf $(BUILD) $(BUILD)-asan
