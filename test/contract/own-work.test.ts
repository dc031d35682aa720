import { expect, test } from "bun:test";
import { join } from "node:path";

/**
 * Nothing runs by itself without a deadline (limits of one, "By construction", 4). Work on threads has its
 * rule's, which the types demand; here is everything else that can start or wait by itself.
 */

const SOURCE = join(import.meta.dir, "../../src");

/** What starts work, or waits for another machine, without a caller who would give it up. */
const STARTS =
  /\bset(?:Interval|Timeout)\(|\bnew (?:Cron|Worker)\(|(?<![.\w])fetch\(|\bBun\.(?:spawn|connect)\(/;

/** Files that do so, and what bounds them. */
const BOUNDED = {
  "db/threads/thread-pool.ts": "each task has its rule's deadline",
  "app/workers/supervisor.ts": "the workers, which serve; a silent one is killed",
  "packaging/install.ts": "a command of the operator",
  "packaging/pinned-bun.ts": "a command of the operator",
  "ports/clock.ts": "the timers themselves, and that of a deadline",
  "ports/download.ts":
    "least rate and the deadline of the source; the signal or time limit that callers must give",
  "ports/system.ts": "measures how late the main thread is",
  "ports/mail.ts": "a minute for a mail",
  "ports/network.ts":
    "a time limit that callers must give; ten seconds and 64 KiB for an answer with its headers",
  "doors/http/docs/snippets.ts": "an example, not run here",
  "upkeep/jobs/scheduler.ts": "looks for work; what it finds goes to threads",
  "values/cron-times.ts": "reads a pattern, starts nothing",
};

test("everything that starts work by itself is known, with what bounds it", async () => {
  const found: string[] = [];
  for await (const file of new Bun.Glob("**/*.{ts,tsx}").scan(SOURCE)) {
    const text = await Bun.file(join(SOURCE, file)).text();
    if (STARTS.test(text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ""))) found.push(file);
  }
  expect(found.toSorted()).toEqual(Object.keys(BOUNDED).toSorted());
});
