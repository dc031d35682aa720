import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqlOf } from "../../src/db/statement.ts";
import { startThreads, type Threads } from "../../src/db/threads/threads.ts";
import { type Clock, systemClock } from "../../src/ports/clock.ts";
import { DEADLINE_MS, failing } from "../support/failing-operations.ts";
import { fakeClock } from "../support/fake-ports.ts";

let folder: string;
let slow: { call: string; sql: string }[];
let threads: Threads<typeof failing.operations>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kanalog-threads-"));
  slow = [];
  threads = startOn(join(folder, "kanalog.db"));
});
afterEach(async () => {
  await threads.close();
  rmSync(folder, { recursive: true, force: true });
});

function startOn(path: string, clock: Clock = systemClock): Threads<typeof failing.operations> {
  return startThreads(failing, {
    path,
    entry: new URL("../support/failing-thread.ts", import.meta.url),
    name: "failing",
    node: null,
    memory: () => null,
    timeoutMs: 1_000,
    clock,
    noteHold: () => {},
    noteRefused: () => {},
    noteSlow: (call, sql) => slow.push({ call, sql }),
  });
}

test("the reason why a thread cannot open the file goes to the log and not to the caller", async () => {
  const onFolder = startOn(folder);
  const error = await onFolder.calls.born().catch((thrown) => thrown);
  expect(error).toMatchObject({ code: "unavailable" });
  expect(error.message).not.toContain(folder);
  expect(error.cause.message).toContain(folder);
  await onFolder.close();
});

test("a thread that fails while idle is replaced by another", async () => {
  const first = await threads.calls.born();
  await threads.calls.failSoon();
  // A task running when the thread fails is rejected; all others get their result.
  const ask = () => threads.calls.born().catch(() => first);
  let answer = first;
  while (answer === first) answer = await ask();
  expect(answer).not.toBe(first);
  expect(threads.load()).toEqual({ threads: 1, busy: 0, waiting: 0 });
});

test("a thread that had nothing to do between two looks is ended, and another starts when needed", async () => {
  const first = await threads.calls.born();
  threads.rest();
  expect(await threads.calls.born()).toBe(first);
  threads.rest();
  threads.rest();
  expect(await threads.calls.born()).not.toBe(first);
});

test("a task that hangs is given up at its pool's deadline with its transaction, and another thread serves the next", async () => {
  const later = fakeClock("2026-11-20T12:00:00+03:00");
  const own = startOn(join(folder, "kanalog.db"), { ...systemClock, after: later.after });
  const first = await own.calls.born();
  const hanging = own.calls.hang().catch((error) => error);
  const next = own.calls.born();
  later.advance(DEADLINE_MS);
  expect(await hanging).toMatchObject({ code: "timeout" });
  expect(await next).not.toBe(first);
  await own.calls.write();
  await own.close();
});

test("a statement that fails in a thread is the private cause of the error, without its values", async () => {
  const error = await threads.calls.refuse("a value").catch((reason: Error) => reason as Error);
  expect(sqlOf(error)).toBe("SELECT * FROM nowhere WHERE name = ?");
  expect(String((error as Error).cause)).not.toContain("a value");
  // "Error:" appears once, though the message comes with the thread's stack.
  expect(String(error)).not.toMatch(/Error: \w*Error:/);
});

test("a thread's slow statement is reported with the name of its call, without values", async () => {
  expect(await threads.calls.echo("a value")).toBe("a value");
  const sql = "SELECT ? AS value";
  expect(slow.filter((one) => one.sql === sql)).toEqual([{ call: "failing.echo", sql }]);
});

test("a thread that is still loading is ended after that, because terminating it would abort the process", async () => {
  const channel = new BroadcastChannel("failing-thread");
  const { promise: loaded, resolve } = Promise.withResolvers<void>();
  channel.onmessage = () => resolve();
  const refused = threads.calls.born().catch((reason: unknown) => reason);
  const closed = threads.close();
  expect(await refused).toMatchObject({ code: "unavailable" });
  await loaded;
  await closed;
  channel.close();
});
