import { expect, test } from "bun:test";
import { join } from "node:path";
import { hasPostgres } from "../support/postgres.ts";

/** Suites of the contract, run with appliances of two nodes that answer in turns. */
const SUITES = ["fields", "isolation", "routes"];

/** On a busy machine it takes minutes. */
const LASTS_MAX_MS = 15 * 60_000;

const ROOT = join(import.meta.dir, "../..");

test.skipIf(!hasPostgres)(
  "the contract holds over a cluster of two nodes",
  async () => {
    const files = SUITES.map((name) => `test/contract/${name}.test.ts`);
    const suites = Bun.spawn([process.execPath, "test", "--timeout", "300000", ...files], {
      cwd: ROOT,
      env: { ...process.env, KANALOG_TEST_NODES: "2" },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, notes, exitCode] = await Promise.all([
      suites.stdout.text(),
      suites.stderr.text(),
      suites.exited,
    ]);
    expect(exitCode, out + notes).toBe(0);
    expect(Number(/(\d+) pass/.exec(notes)?.[1])).toBeGreaterThan(60);
  },
  LASTS_MAX_MS,
);
