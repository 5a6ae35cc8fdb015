# adze: thin wrappers around Meson. `make help` lists the targets.
BUILD        ?= build
SOAK_SECONDS ?= 600
TEST_BUILD   ?= build-test
RELEASE_TESTS ?= build-release-tests
JOBS         ?= $(shell nproc)
ARGS         ?=
# Tests that do more in a release build than with sanitizers.
LONG_TESTS    = tests/engine/test_disruption_worlds $(addprefix tests/simulation/test_simulation_,aws_plan buffers crashes disruption static)
MESON_FLAGS  ?=

.PHONY: all demo test test-e2e test-upstream soak bench bench-live fuzz install release site format clean dependencies help

all: $(BUILD)/build.ninja ## build the program (release)
	@ninja -C $(BUILD) -j $(JOBS) adze

demo: all ## run the whole path on the embedded cluster (ARGS=--serve keeps it up for kubectl)
	@$(BUILD)/adze demo $(ARGS)

test: $(TEST_BUILD)/build.ninja ## unit, conformance and simulation tests, sanitizers on
	@ninja -C $(TEST_BUILD) -j $(JOBS)
	@$(TEST_ENVIRONMENT) meson test -C $(TEST_BUILD) --no-rebuild --print-errorlogs --num-processes $(JOBS) --timeout-multiplier 5

soak: $(TEST_BUILD)/build.ninja ## random simulated worlds for SOAK_SECONDS (600; a fifth more on AWS), or SEEDS=from-to; ARGS="--size 4"
	@ninja -C $(TEST_BUILD) -j $(JOBS) tests/simulation/soak tests/simulation/aws_soak
	@$(TEST_BUILD)/tests/simulation/soak $(if $(SEEDS),--seeds $(SEEDS),--seconds $(SOAK_SECONDS)) $(ARGS)
	@$(TEST_BUILD)/tests/simulation/aws_soak $(if $(SEEDS),--seeds $(SEEDS),--seconds $$(($(SOAK_SECONDS) / 5)))

test-e2e: all $(RELEASE_TESTS)/build.ninja ## the real control plane (builds it on first use), kwok and kubectl
	@ninja -C $(RELEASE_TESTS) -j $(JOBS) tests/conformance/aws/replay tests/engine/plan_tool tests/engine/turn_tool \
		tests/simulation/soak tests/simulation/aws_soak $(LONG_TESTS)
	@for test in $(LONG_TESTS); do $(RELEASE_TESTS)/$$test || exit 1; done
	@timeout 900 $(RELEASE_TESTS)/tests/simulation/soak --seeds 1-200 --size 0
	@timeout 900 $(RELEASE_TESTS)/tests/simulation/aws_soak --seeds 1-20
	@tests/conformance/run_schedule.py $(RELEASE_TESTS)/tests/engine/plan_tool tests/conformance/cases --jobs $(JOBS)
	@tests/conformance/run_disrupt.py $(RELEASE_TESTS)/tests/engine/plan_tool tests/conformance/cases --jobs $(JOBS)
	@tests/conformance/run_turns.py $(RELEASE_TESTS)/tests/engine/turn_tool tests/conformance/cases --jobs $(JOBS)
	@tests/conformance/aws/check.py --replay $(RELEASE_TESTS)/tests/conformance/aws/replay --jobs $(JOBS)
	@tests/conformance/aws/check.py --replay $(RELEASE_TESTS)/tests/conformance/aws/replay --jobs $(JOBS) --mode better
	@tests/e2e/run $(BUILD)/adze

test-upstream: all ## upstream Karpenter's own suite, over an hour (SUITE=performance, FOCUS=REGEX, PEER=upstream, COMPATIBILITY=upstream)
	@tests/upstream/run $(BUILD)/adze

bench: all ## time the engine on generated workloads
	@bench/run $(BUILD)/adze $(ARGS)

bench-live: all ## generated loads on a real control plane (ARGS="--load 7"; bench/README.md)
	@bench/live/run $(BUILD)/adze $(ARGS)

fuzz: all ## libFuzzer on everything that parses; FUZZ_SECONDS each (default 60)
	@tests/fuzz/run

install: all ## the program, the kubectl plugin, man pages and completion; PREFIX (default /usr/local), DESTDIR
	@[ -z "$(PREFIX)" ] || { meson configure $(BUILD) -Dprefix="$(PREFIX)" && ninja -C $(BUILD) adze >/dev/null; }
	@DESTDIR="$(DESTDIR)" meson install -C $(BUILD) --no-rebuild
	@tools/install-manual $(BUILD)/adze "$(DESTDIR)$(or $(PREFIX),/usr/local)"

release: ## image, .deb, tarball, SBOM for amd64 and arm64 into release/ (ARGS=--verify builds twice and compares)
	@tools/install-dependencies --release
	@packaging/release $(ARGS)

site: ## the documentation as HTML, with a search, into build-site/ (ARGS=--serve shows it on port 8000)
	@tools/install-dependencies --site
	@tools/site $(ARGS)

format: ## clang-format 14 over the sources
	@tools/install-dependencies --format
	@tools/format

clean: ## remove the build folders
	@rm -rf $(BUILD) $(TEST_BUILD) $(RELEASE_TESTS) build-site

dependencies:
	@tools/install-dependencies

$(BUILD)/build.ninja: meson.build meson_options.txt | dependencies
	@meson setup $(BUILD) --buildtype=release -Db_ndebug=false -Dtests=disabled -Dprefix="$(or $(PREFIX),/usr/local)" $(MESON_FLAGS) >/dev/null || { cat $(BUILD)/meson-logs/meson-log.txt; exit 1; }

# Simulations and recorded cases of the slower tier: the optimizer on, assertions on, no sanitizers.
$(RELEASE_TESTS)/build.ninja: meson.build meson_options.txt | dependencies
	@meson setup $(RELEASE_TESTS) --buildtype=release -Db_ndebug=false $(MESON_FLAGS) >/dev/null || { cat $(RELEASE_TESTS)/meson-logs/meson-log.txt; exit 1; }

# Most of a sanitized test's time goes to the allocator of the sanitizer, most of the build's to the optimizer: hence -O1.
# Some warnings are wrong there; the release build, which has them all, is the judge of those.
TEST_FLAGS = --buildtype=debug -Doptimization=1 -Dfloors=shared -Db_sanitize=address,undefined -Db_lundef=false \
             -Dc_args='-g1 -Wno-maybe-uninitialized'
# With one frame of each allocation a test takes a quarter less. A test that is run by itself has them all.
TEST_ENVIRONMENT = ASAN_OPTIONS=malloc_context_size=1:halt_on_error=1:abort_on_error=1:print_summary=1

$(TEST_BUILD)/build.ninja: meson.build meson_options.txt | dependencies
	@tools/install-dependencies --format
	@meson setup $(TEST_BUILD) $(TEST_FLAGS) $(MESON_FLAGS) >/dev/null || { cat $(TEST_BUILD)/meson-logs/meson-log.txt; exit 1; }

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16
