import timings from "./timings.json";

// Runs `bun test` for the check. Test files that take long take turns, each every fifth day. All run in CI,
// with KANALOG_TEST_ALL=1, and if arguments are given, which are passed to `bun test`.

const LONG_MS = 8_000;
const TURNS = 5;
const DAY_MS = 86_400_000;

const given = process.argv.slice(2);
const isWhole = given.length > 0 || process.env["KANALOG_TEST_ALL"] === "1";
const today = Math.floor(Date.now() / DAY_MS) % TURNS;
const takes = new Map(Object.entries(timings.files));

const durationOf = (file: string): number => takes.get(file) ?? 0;

const files = [...new Bun.Glob("test/**/*.test.{ts,tsx}").scanSync(`${import.meta.dir}/..`)].sort();
// Distributed by duration, so that all days take about as long.
const long = files.filter((file) => durationOf(file) >= LONG_MS);
long.sort((one, other) => durationOf(other) - durationOf(one));
const onAnotherDay = new Set(long.filter((_, at) => at % TURNS !== today));
const chosen = files.filter((file) => !onAnotherDay.has(file));
if (!isWhole) {
  console.warn(
    `${onAnotherDay.size} long files have their turn on another day: KANALOG_TEST_ALL=1 runs all.`,
  );
}

const options = [
  ...[
    "--preload=./test/support/started-as-users-do.ts",
    "--parallel=4",
    "--no-isolate",
    "--timings=test/timings.json",
    "--timeout",
    "300000",
  ],
  ...(isWhole ? given : chosen.map((file) => `./${file}`)),
];
const tests = Bun.spawn([process.execPath, "test", ...options], {
  stdio: ["inherit", "inherit", "inherit"],
  // Tests end before the code of JavaScriptCore's last compiler pays off: without it they take a sixth
  // less.
  env: { ...process.env, KANALOG_TEST_BUILT: "dist", BUN_JSC_useFTLJIT: "0" },
});
process.exit(await tests.exited);
