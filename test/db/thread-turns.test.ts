import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../src/db/open-database.ts";
import { type Refused, startThreads, type Threads } from "../../src/db/threads/threads.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { runFor, type TimeBudget } from "../../src/values/tenant.ts";
import { fakeClock } from "../support/fake-ports.ts";
import { BEGUN, ENDED, waiting } from "../support/waiting-operations.ts";

/** Who gets which of four threads, by tasks that keep one until the test ends them. */

const TIMEOUT_MS = 1_000;

let folder: string;
let refused: Refused[];
let threads: Threads<typeof waiting.operations>;
let clock: ReturnType<typeof fakeClock>;
/** States of tasks by name. */
let states: Map<string, Int32Array<SharedArrayBuffer>>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kanalog-turns-"));
  const path = join(folder, "kanalog.db");
  openDatabase(path, systemClock).close();
  refused = [];
  states = new Map();
  clock = { ...fakeClock("2026-11-20T12:00:00+03:00"), sleep: systemClock.sleep };
  threads = startThreads(waiting, {
    ...{ path, clock, name: "waiting", node: null, memory: () => null, timeoutMs: TIMEOUT_MS },
    entry: new URL("../support/waiting-thread.ts", import.meta.url),
    noteHold: () => {},
    noteSlow: () => {},
    noteRefused: (why) => refused.push(why),
  });
});
afterEach(async () => {
  await threads.close();
  rmSync(folder, { recursive: true });
});

const budget = (isLight: boolean): TimeBudget => ({
  charge: () => {},
  refusal: () => null,
  pauseMs: () => 0,
  isLight: () => isLight,
});

/** Starts a task of an organization. @returns its name, or the error's code */
function ask(
  organization: number,
  isLight: boolean,
  name: string,
  operation: keyof typeof waiting.operations = "wait",
): Promise<string> {
  const state = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  states.set(name, state);
  return runFor(organization, budget(isLight), () =>
    threads.calls[operation](state).then(
      () => name,
      ({ code }) => code,
    ),
  );
}

const isBegun = (name: string): boolean => states.get(name)?.[0] === BEGUN;

async function hasBegun(...names: string[]): Promise<void> {
  while (!names.every(isBegun)) await new Promise((resolve) => setImmediate(resolve));
}

function end(...names: string[]): void {
  for (const name of names) {
    const state = states.get(name);
    if (state === undefined) throw new Error(`there is no task ${name}`);
    Atomics.store(state, 0, ENDED);
    Atomics.notify(state, 0);
  }
}

test("organizations whose queries took long never get the last free thread, others get it at once", async () => {
  const dear = [1, 2, 3, 4].map((organization) => ask(organization, false, `dear ${organization}`));
  await hasBegun("dear 1", "dear 2", "dear 3");
  expect(threads.load()).toEqual({ threads: 4, busy: 3, waiting: 1 });
  const cheap = ask(5, true, "cheap");
  await hasBegun("cheap");
  expect(isBegun("dear 4")).toBe(false);
  end("cheap");
  expect(await cheap).toBe("cheap");
  expect(threads.load()).toEqual({ threads: 4, busy: 3, waiting: 1 });
  end("dear 1");
  await hasBegun("dear 4");
  end("dear 2", "dear 3", "dear 4");
  await Promise.all(dear);
});

test("an organization whose queries took long has one thread at a time, others have two", async () => {
  const tasks = [ask(1, false, "a1"), ask(1, false, "a2"), ask(2, true, "b1"), ask(2, true, "b2")];
  await hasBegun("a1", "b1", "b2");
  expect(threads.load()).toEqual({ threads: 4, busy: 3, waiting: 1 });
  end("a1");
  await hasBegun("a2");
  end("a2", "b1", "b2");
  expect(await Promise.all(tasks)).toEqual(["a1", "a2", "b1", "b2"]);
});

test("a query that waited behind its organization's own for half of the time limit is refused with 429, which is nobody else's concern", async () => {
  const tasks = [ask(1, false, "a1"), ask(1, false, "a2")];
  await hasBegun("a1");
  clock.advance(TIMEOUT_MS / 2);
  end("a1");
  expect(await Promise.all(tasks)).toEqual(["a1", "throttled"]);
  expect(refused).toEqual(["own"]);
});

test("a query that found no thread in time because of others is answered 503 and reported", async () => {
  const others = [1, 1, 2, 2].map((organization, at) => ask(organization, true, `other ${at}`));
  await hasBegun("other 0", "other 1", "other 2", "other 3");
  const late = ask(3, true, "late");
  clock.advance(TIMEOUT_MS);
  end("other 0", "other 1", "other 2", "other 3");
  expect(await late).toBe("timeout");
  expect(refused).toEqual(["others"]);
  await Promise.all(others);
});

test("an organization's changes, however many, leave half of the threads to others", async () => {
  const own = [1, 2, 3].map((at) => ask(1, false, `own ${at}`, "change"));
  await hasBegun("own 1", "own 2");
  const others = [2, 3].map((other) => ask(other, true, `other ${other}`, "change"));
  await hasBegun("other 2", "other 3");
  expect(isBegun("own 3")).toBe(false);
  end("own 1");
  await hasBegun("own 3");
  end("own 2", "own 3", "other 2", "other 3");
  await Promise.all([...own, ...others]);
});

test("long work of one kind runs one after another and holds up none of another kind, nor anything short", async () => {
  const imports = [1, 2].map((at) => ask(1, true, `import ${at}`, "importFile"));
  await hasBegun("import 1");
  const job = ask(1, true, "job", "runJob");
  const query = ask(2, false, "query");
  await hasBegun("job", "query");
  expect(isBegun("import 2")).toBe(false);
  expect(threads.load()).toEqual({ threads: 4, busy: 3, waiting: 1 });
  end("import 1");
  await hasBegun("import 2");
  end("import 2", "job", "query");
  await Promise.all([...imports, job, query]);
});
