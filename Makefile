# Everything that CI runs, it runs through here.

FANOUT = cargo run --release --quiet --package fanout-cli --
# Measures nothing, so it can be the build that the tests have made.
UNMEASURED = cargo run --quiet --locked --package fanout-cli --
# The newest results: folders are named by date.
RESULTS = $(patsubst %/,%,$(lastword $(sort $(wildcard results/*/))))

# What `compare` and `gate` compare this tree with, and what they measure.
BASE = main
SCENARIOS = 01,02
FORMAT = table

.PHONY: help bench bench-quick report compare gate report-compared test check fmt clippy doc reports-current workflows clean

help: ## says what there is
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

bench: ## every scenario on its clocks, then the report (about 7 minutes)
	$(FANOUT) run
	$(MAKE) report

bench-quick: ## every scenario on the virtual clock alone, then the report
	$(FANOUT) run --clock virtual
	$(MAKE) report

report: ## draws the newest results again: reports/ and the README's tables
	$(FANOUT) report $(RESULTS)
	$(FANOUT) report $(RESULTS) --splice README.md

compare: ## BASE=ref SCENARIOS=01,02: this tree against another commit, on both clocks, in turns
	scripts/compare.sh $(BASE) --scenario $(SCENARIOS) --format $(FORMAT)

gate: ## BASE=ref: every scenario on the virtual clock against another commit; fails if anything got worse
	scripts/compare.sh $(BASE) --clock virtual --format $(FORMAT)

report-compared: ## draws what `compare` or `gate` measured last
	$(FANOUT) report target/compare/latest/head --out target/compare/latest/reports
	$(FANOUT) compare target/compare/latest/base target/compare/latest/head --svg target/compare/latest/ratios.svg || test $$? -eq 3

test: ## all tests
	cargo test --workspace --locked

check: fmt clippy doc test reports-current workflows ## what a change has to pass

fmt:
	cargo fmt --all --check

clippy:
	cargo clippy --workspace --all-targets --locked -- --deny warnings

doc:
	RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --no-deps --document-private-items --locked

# The committed reports are what the committed results look like, to the byte.
reports-current:
	$(UNMEASURED) check $(RESULTS)
	rm -rf target/reports && $(UNMEASURED) report $(RESULTS) --out target/reports
	diff -r reports target/reports
	cp README.md target/README.md && $(UNMEASURED) report $(RESULTS) --splice target/README.md
	diff README.md target/README.md

workflows:
	scripts/actionlint.sh .github/workflows/*.yml

clean: ## removes what was built, not what was measured
	cargo clean
