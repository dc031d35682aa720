/**
 * A process that does some work on a file and kills itself, as a power cut would, at one look at its clock. Every
 * statement looks at the clock twice, so this may be anywhere. Each look is a millisecond after the one before, so that
 * slices of work, which end by the clock, are the same in each run, however busy the machine is. Arguments: the file, the
 * work, and the number of the look; 0 for none, then it prints how many there were.
 */
import { finishPostSearch, rebuildWhole } from "../../src/catalog/post-search/catch-up.ts";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { type Clock, systemClock } from "../../src/ports/clock.ts";
import { giveBack, letGoOldParts, removeOldMonths } from "../../src/upkeep/retention/old-months.ts";

/** Posts of this month and the one before are kept. */
const KEPT = { posts: 2, statistics: null };

const WORKS: Record<string, (db: Database, clock: Clock) => Promise<unknown>> = {
  rebuild: (db, clock) => rebuildWhole(db, clock, () => {}),
  "old-months": async (db, clock) => {
    await letGoOldParts(db, clock, KEPT);
    await removeOldMonths(db, clock, KEPT);
    await finishPostSearch(db, clock, true);
  },
  "give-back": giveBack,
};

const [path = "", work = "", killedAt = "0"] = process.argv.slice(2);
let looks = 0;
const clock: Clock = {
  ...systemClock,
  now: () => Date.parse("2026-11-28T00:00:00Z"),
  monotonic() {
    looks += 1;
    if (looks === Number(killedAt)) process.kill(process.pid, "SIGKILL");
    return looks;
  },
};
const db = openDatabase(path, clock);
await WORKS[work]?.(db, clock);
db.close();
console.log(looks);
