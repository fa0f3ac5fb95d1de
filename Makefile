# `make` alone prints the targets.
SWIFT ?= swift
SITE ?=
EXIT ?=
LINK ?= 4g
ONLY ?=
QUICK ?=

.PHONY: help demo build test suite lint format bench site screenshots clean

help:
	@echo "make demo    install what is missing, build, and show the main job (SITE=DIR or URL, LINK=4g|3g|wifi, EXIT=1)"
	@echo "make test    install what is missing, run every test"
	@echo "make suite   run the caching suite and write its result into docs/caching.md"
	@echo "make build   debug build"
	@echo "make lint    formatting and the import law"
	@echo "make format  format the sources in place"
	@echo "make bench   measure the hot paths against their peers (release build; ONLY=\"hit miss\", QUICK=1)"
	@echo "make site    build the documentation site into .build/site"
	@echo "make screenshots   take the portal's pictures in docs/images anew"
	@echo "make clean   remove what was built"

demo:
	@scripts/dependencies run
	$(SWIFT) build -c release --product larder
	$(SWIFT) build -c release --product SampleApp
	@$(if $(SITE),,scripts/build-site .build/site)
	@.build/release/larder demo --site "$(or $(SITE),.build/site)" --link $(LINK) $(if $(EXIT),--exit,)

build:
	$(SWIFT) build

test:
	@scripts/dependencies test
	@scripts/test

suite:
	LARDER_SUITE=1 $(SWIFT) test --disable-xctest --filter '^CachingSuiteTests\.'

lint:
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests Benchmarks
	$(SWIFT) test --filter HouseTests

format:
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests Benchmarks

bench:
	@scripts/dependencies test
	@scripts/dependencies bench || echo "some peers cannot be installed; their rows are left out"
	@ONLY="$(ONLY)" QUICK="$(QUICK)" scripts/bench

site:
	@scripts/build-site .build/site

screenshots:
	LARDER_SCREENSHOTS=docs/images $(SWIFT) test --filter PortalTests

clean:
	rm -rf .build Benchmarks/.build
