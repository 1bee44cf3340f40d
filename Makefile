# Everything is in scripts/; this only names it.
.DEFAULT_GOAL := help
SECONDS ?= 60
ROUNDS ?= 100
.PHONY: help run demo test fuzz torture upgrade recount sanitize bench build lint format clean distclean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

run: ## set up, build and serve on 127.0.0.1 with a private database, until Ctrl-C
	@scripts/run.sh

demo: ## set up, build and serve a simulated quarter with a page and questions, until Ctrl-C; nothing stays
	@scripts/demo.sh

test: ## set up and run every test against a real PostgreSQL; FILTER=Name for some of them
	@scripts/test.sh

fuzz: ## try random inputs on everything that takes untrusted bytes; SECONDS=60 for each target, TARGET=name, SEED
	@FUZZ_SECONDS=$(SECONDS) scripts/fuzz.sh

torture: ## hurt a server and its database in ROUNDS=100 and check that nothing is lost or doubled; SEED, KIND, CLUSTER=1, APP_STORE=1
	@ROUNDS=$(ROUNDS) scripts/torture.sh

upgrade: ## upgrade, back up and recover databases under load, and check that nothing is lost or doubled; OLD=COMMIT
	@scripts/upgrade.sh

recount: ## set up, build, load a simulated quarter of everything, recount each report of it; INSTALLS_A_DAY=440
	@scripts/recount.sh

sanitize: ## run the tests under ThreadSanitizer and AddressSanitizer; SANITIZER=thread for one, FILTER=Name
	@scripts/sanitize.sh

bench: ## set up, measure each figure beside its baseline, print one table; ROUNDS, BENCH_ONLY, BENCH_SECONDS, GROWTH=1
	@scripts/setup.sh wrk
	@swift run -c release bench run

build: ## set up and build the server and adsign in release
	@scripts/setup.sh
	@swift build -c release --product PostbackServer
	@swift build -c release --product adsign

lint: ## check the format, as the tests do
	@scripts/format.sh lint

format: ## format the Swift sources in place
	@scripts/format.sh format

clean: ## remove what was built
	@rm -rf .build .build-*

distclean: ## remove what was built and the private database; keys/ stays
	@scripts/distclean.sh
