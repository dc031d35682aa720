import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startThreads, type Threads } from "../../src/db/threads.ts";
import { systemClock } from "../../src/ports/clock.ts";
import type { failingOperations } from "../support/failing-thread.ts";

let folder: string;
let threads: Threads<typeof failingOperations>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kanalog-threads-"));
  threads = startThreads({
    path: join(folder, "kanalog.db"),
    entry: new URL("../support/failing-thread.ts", import.meta.url),
    access: "writer",
    count: 1,
    timeoutMs: null,
    clock: systemClock,
  });
});
afterEach(async () => {
  await threads.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a thread that fails while it has nothing to do is replaced by another", async () => {
  const first = await threads.run("born", null);
  await threads.run("failSoon", null);
  // What is under way when it fails is refused; all else is answered.
  const ask = () => threads.run("born", null).catch(() => first);
  let answer = first;
  while (answer === first) answer = await ask();
  expect(answer).not.toBe(first);
  expect(threads.load()).toEqual({ threads: 1, busy: 0, waiting: 0 });
});
