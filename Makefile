# Everything that CI runs, it runs through here.

FANOUT = cargo run --release --quiet --package fanout-cli --
# Measures nothing, so it can be the build that the tests have made.
UNMEASURED = cargo run --quiet --locked --package fanout-cli --
# The newest results: folders are named by date.
RESULTS = $(patsubst %/,%,$(lastword $(sort $(wildcard results/*/))))

.PHONY: help bench bench-quick report test check fmt clippy doc reports-current clean

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

test: ## all tests
	cargo test --workspace --locked

check: fmt clippy doc test reports-current ## what a change has to pass

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

clean: ## removes what was built, not what was measured
	cargo clean
