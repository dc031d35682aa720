import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startThreads, type Threads } from "../../src/db/threads.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { failing } from "../support/failing-operations.ts";

let folder: string;
let threads: Threads<typeof failing.operations>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kanalog-threads-"));
  threads = startThreads(failing, {
    path: join(folder, "kanalog.db"),
    entry: new URL("../support/failing-thread.ts", import.meta.url),
    name: "failing",
    timeoutMs: 1_000,
    clock: systemClock,
    noteHold: () => {},
  });
});
afterEach(async () => {
  await threads.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a thread that fails while it has nothing to do is replaced by another", async () => {
  const first = await threads.calls.born();
  await threads.calls.failSoon();
  // What is under way when it fails is refused; all else is answered.
  const ask = () => threads.calls.born().catch(() => first);
  let answer = first;
  while (answer === first) answer = await ask();
  expect(answer).not.toBe(first);
  expect(threads.load()).toEqual({ threads: 1, busy: 0, waiting: 0 });
});
