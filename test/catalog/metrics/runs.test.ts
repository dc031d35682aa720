import { afterEach, beforeEach, expect, test } from "bun:test";
import { computeMetrics } from "../../../src/catalog/metrics/compute-metrics.ts";
import { beginRun } from "../../../src/catalog/metrics/metrics.store.ts";
import type { Database } from "../../../src/db/database.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, expectIds, imported, pagesOf } from "../../support/expectations.ts";

/** Runs that are interrupted, overlap or find nothing new: readers always see one complete run. */

const CHANNELS = 1_300;
let appliance: Appliance;
let db: Database;
beforeEach(async () => {
  appliance = await startAppliance();
  db = appliance.app.domains.db;
  const ids = Array.from({ length: CHANNELS }, (_, at) => at + 1);
  await imported(
    appliance,
    "channels",
    ids.map((id) => channel(id)),
  );
  await grow(1);
});
afterEach(() => appliance.close());

const compute = () => computeMetrics(db, appliance.ports.clock);

/** Imports readings by which every channel grows by a multiple of the factor, each by another number. */
async function grow(factor: number): Promise<void> {
  const rows = Array.from({ length: CHANNELS }, (_, at) => [
    { channel: at + 1, day: "2026-11-12", subscribers: 100 },
    { channel: at + 1, day: "2026-11-19", subscribers: 100_000 + factor * at },
  ]).flat();
  await imported(appliance, "stats", rows);
}

const written = (): number =>
  db.prepare<{ n: number }>("SELECT total_changes() AS n").get()?.n ?? 0;

function remove(id: number): void {
  db.exec(`DELETE FROM posts WHERE channel_id = ${id}`);
  db.exec(`DELETE FROM daily_statistics WHERE channel_id = ${id}`);
  for (const table of ["public_cards", "channel_texts", "channel_cards"]) {
    db.exec(`DELETE FROM ${table} WHERE id = ${id}`);
  }
  db.exec(`DELETE FROM channels WHERE id = ${id}`);
}

interface Stored {
  id: number;
  growth_7d: number | null;
}

/** The current metrics, as readers see them. */
const current = (): Stored[] =>
  db
    .prepare<Stored>(
      "SELECT * FROM channel_metrics WHERE slot = (SELECT slot FROM metrics_read) ORDER BY id",
    )
    .all();

/** Expects the list in the order of a metric to have exactly the values of the rows. */
async function expectWhole(): Promise<void> {
  const growth = ({ growth_7d }: Stored): number => growth_7d ?? Number.NEGATIVE_INFINITY;
  const expected = current().sort((one, other) => growth(other) - growth(one) || one.id - other.id);
  const pages = await pagesOf(appliance, "/v1/msgr/channels/?ordering=-growth_7d&limit=100");
  expect(pages.flat()).toEqual(expected.map(({ id }) => id));
}

test("a run with nothing new writes nothing, and one with a single changed channel writes little", async () => {
  expect(await compute()).toBe(true);
  const before = written();
  expect(await compute()).toBe(false);
  expect(written()).toBe(before);
  // This run fills the second slot; the following ones write only what differs.
  await imported(appliance, "stats", [{ channel: 7, day: "2026-11-18", subscribers: 5 }]);
  expect(await compute()).toBe(true);
  await imported(appliance, "stats", [{ channel: 7, day: "2026-11-18", subscribers: 6 }]);
  const imports = written();
  expect(await compute()).toBe(true);
  // One row, the run's number and the current slot.
  expect(written() - imports).toBe(3);
  await expectWhole();
});

test("wherever a run is interrupted, the previous one stays current, and the next one is complete", async () => {
  await compute();
  const first = current();
  await grow(3);
  const { clock } = appliance.ports;
  let interrupted = 0;
  for (let pauses = 1; ; pauses += 1) {
    let left = pauses;
    let ms = 0;
    // The clock runs so fast that there is a pause after each step; the run is killed in one of them.
    const killing = {
      ...clock,
      now: clock.now,
      monotonic: () => (ms += 20),
      endOfTurn: (work: () => void) => {
        left -= 1;
        if (left < 0) throw new Error("killed");
        clock.endOfTurn(work);
      },
    };
    const ended = await computeMetrics(db, killing).catch((error: Error) => error.message);
    if (ended === true) break;
    expect(ended).toBe("killed");
    expect(current()).toEqual(first);
    interrupted += 1;
  }
  expect(interrupted).toBeGreaterThan(3);
  await compute();
  await expectWhole();
  expect(current()).not.toEqual(first);
});

test("a run stops when a later one begins, and the later one's result is complete", async () => {
  await compute();
  const first = current();
  await grow(4);
  const { clock } = appliance.ports;
  let isOvertaken = false;
  const overtaken = {
    ...clock,
    now: clock.now,
    monotonic: () => clock.monotonic(),
    endOfTurn(work: () => void) {
      const isFirst = !isOvertaken;
      isOvertaken = true;
      if (isFirst) void inTransaction(db, clock, "test", beginRun).then(work);
      else clock.endOfTurn(work);
    },
  };
  const ended = await computeMetrics(db, overtaken);
  expect(isOvertaken).toBe(true);
  expect(ended).toBe(false);
  expect(current()).toEqual(first);
  await compute();
  await expectWhole();
});

test("a channel that is deleted between reading and writing leaves nothing", async () => {
  const { clock } = appliance.ports;
  let ms = 0;
  let isGone = false;
  // There is a pause after each step; in the first one, the last of the channels read are still to be
  // written.
  const pausing = {
    ...clock,
    monotonic: () => (ms += 20),
    endOfTurn(work: () => void) {
      const isFirst = !isGone;
      isGone = true;
      if (isFirst) void inTransaction(db, clock, "test", () => remove(500)).then(work);
      else clock.endOfTurn(work);
    },
  };
  expect(await computeMetrics(db, pausing)).toBe(true);
  expect(isGone).toBe(true);
  expect(db.prepare("SELECT * FROM channel_metrics WHERE id = 500").all()).toEqual([]);
  await expectWhole();
});

test("a channel that gets the number of a deleted one has none of its metrics", async () => {
  await compute();
  remove(1300);
  await expectWhole();
  await imported(appliance, "channels", [channel(1300), channel(1301)]);
  await expectIds(appliance, "/v1/msgr/channels/?ordering=-growth_7d&limit=2", [1299, 1298]);
});
