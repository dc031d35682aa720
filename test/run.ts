import { runTests } from "./bun-test.ts";

// Runs the tests of the check, which are all but campaigns, or those given; words are passed to `bun test`.
process.exit(await runTests(process.argv.slice(2)));
