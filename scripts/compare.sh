#!/usr/bin/env bash
# Builds another commit beside this tree, and has both measured in turns. It leaves nothing behind but its results.
#
# usage: scripts/compare.sh REF [options of `fanout compare --paired`]
set -euo pipefail
cd "$(dirname "$0")/.."

ref=${1:?say which commit to compare with: make compare BASE=main}
shift
commit=$(git rev-parse --verify --quiet "$ref^{commit}") || { echo "there is no commit $ref" >&2; exit 1; }

base=target/compare/base
out=target/compare/$(date -u +%Y-%m-%dT%H%M%SZ)-$(git rev-parse --short "$commit")
tidy() { git worktree remove --force "$base" 2>/dev/null || true; }
trap tidy EXIT
tidy
git worktree add --quiet --detach "$base" "$commit"

echo "building $ref" >&2
cargo build --release --quiet --locked --package fanout-cli --manifest-path "$base/Cargo.toml" --target-dir target/compare/build
echo "building this tree" >&2
cargo build --release --quiet --locked --package fanout-cli

status=0
target/release/fanout compare --paired target/compare/build/release/fanout target/release/fanout --out "$out" "$@" || status=$?
if [ -d "$out" ]; then
    ln -sfn "$(basename "$out")" target/compare/latest
    echo "$out" >&2
fi
exit "$status"
