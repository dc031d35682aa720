/**
 * Runs `bun test` with processes that start from the built executable.
 * @param environment unless the caller's has other values
 * @returns its exit code
 */
export function runTests(
  words: readonly string[],
  environment: Record<string, string> = {},
): Promise<number> {
  const options = [
    ...["--preload=./test/support/started-as-users-do.ts", "--parallel=4", "--no-isolate"],
    ...["--timings=test/timings.json", "--timeout", "300000"],
  ];
  const tests = Bun.spawn([process.execPath, "test", ...options, ...words], {
    stdio: ["inherit", "inherit", "inherit"],
    // Tests end before the code of JavaScriptCore's last compiler pays off: without it they take a sixth
    // less.
    env: { ...environment, ...process.env, KANALOG_TEST_BUILT: "dist", BUN_JSC_useFTLJIT: "0" },
  });
  return tests.exited;
}
