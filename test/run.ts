import timings from "./timings.json";

// Runs `bun test` for the check. Files that take long have their turns, each every third day; all run in CI, with
// KANALOG_TEST_ALL=1, and where arguments are given, which are those of `bun test`.

const LONG_MS = 12_000;
const TURNS = 3;
const DAY_MS = 86_400_000;

const given = process.argv.slice(2);
const isWhole = given.length > 0 || process.env["KANALOG_TEST_ALL"] === "1";
const files = [...new Bun.Glob("test/**/*.test.{ts,tsx}").scanSync(`${import.meta.dir}/..`)];
const takes = new Map(Object.entries(timings.files));
const long = files
  .filter((file) => (takes.get(file) ?? 0) >= LONG_MS)
  .sort((one, other) => (takes.get(other) ?? 0) - (takes.get(one) ?? 0));
const today = Math.floor(Date.now() / DAY_MS) % TURNS;
const left = new Set(isWhole ? [] : long.filter((_, at) => at % TURNS !== today));
if (left.size > 0) {
  console.warn(
    `${left.size} long files have their turn on another day: KANALOG_TEST_ALL=1 runs all.`,
  );
}

const chosen = isWhole ? [] : files.filter((file) => !left.has(file)).map((file) => `./${file}`);
const options = [
  "--parallel=4",
  "--no-isolate",
  "--timings=test/timings.json",
  "--timeout",
  "300000",
];
const tests = Bun.spawn([process.execPath, "test", ...options, ...given, ...chosen], {
  stdio: ["inherit", "inherit", "inherit"],
  env: { ...process.env, KANALOG_TEST_BUILT: "dist" },
});
process.exit(await tests.exited);
