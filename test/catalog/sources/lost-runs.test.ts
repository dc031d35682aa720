import { afterEach, beforeEach, expect, test } from "bun:test";
import { applyBatch } from "../../../src/catalog/sources/bots/batch-writer.ts";
import { RUN_KILLED } from "../../../src/catalog/sources/sources.store.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { statement } from "../../../src/db/database.ts";
import { processName } from "../../../src/ports/system.ts";
import { MOSCOW_ZONE } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";

/**
 * A process that stops for more than a minute, as on a machine that sleeps, loses its sources to another one,
 * and wakes up in the middle of a file that is outdated by then (sources, section 1).
 */

const ROWS = 2_000;
const ELSEWHERE = "elsewhere 1 another-process";

let appliance: Appliance;
let id: number;
beforeEach(async () => {
  appliance = await startAppliance();
  const rows = Array.from({ length: ROWS }, (_, at) => `${at + 1},Old ${at + 1},100,true\n`);
  const body = `id,title,subscribers,is_public\n${rows.join("")}`;
  appliance.ports.network.fileAt = () => ({ status: 200, headers: { etag: '"old"' }, body });
  const reading = { format: null, from: null, map: {}, ignoreUnknown: false };
  const options = { rows: "channels", reading, timezone: MOSCOW_ZONE, strict: false } as const;
  const settings = { kind: "pull", url: "https://files.example.com/a.csv", ...options } as const;
  const source = { name: "files", schedule: "15m", headers: {}, settings };
  ({ id } = await appliance.app.sources.add(source, COMMAND_LINE));
});
afterEach(() => appliance.close());

const channels = (): number => {
  const sql = "SELECT count(*) AS rows FROM channels";
  return statement<{ rows: number }>(appliance.app.domains.db, sql).get()?.rows ?? 0;
};

/** Calls `happens` after the import's third transaction. @returns rows written by then */
async function readWith(happens: () => unknown): Promise<number> {
  let [slices, written] = [0, 0];
  const { clock } = appliance.ports;
  const usual = clock.endOfTurn;
  clock.endOfTurn = (begin) => {
    slices += 1;
    if (slices !== 4) return usual(begin);
    written = channels();
    void Promise.resolve(happens()).then(begin);
  };
  await appliance.app.sources.tick();
  await appliance.app.sources.settled();
  return written;
}

test("a run whose source another process has claimed writes no more rows, and leaves the source's state alone", async () => {
  const take = () =>
    statement(appliance.app.domains.db, "UPDATE sources SET owner = ?").run(ELSEWHERE);
  const written = await readWith(take);
  expect(written).toBeGreaterThan(0);
  expect(written).toBeLessThan(ROWS);
  expect(channels()).toBe(written);
  expect(await appliance.app.sources.find("files")).toMatchObject({
    ...{ owner: ELSEWHERE, failures: 0, position: {}, summary: null },
  });
});

test("a bot's rows are not written, nor its position, once another process has claimed it", async () => {
  const { db } = appliance.app.domains;
  statement(db, "UPDATE sources SET owner = ?").run(ELSEWHERE);
  const batch = { channels: [{ id: 1, title: "A", subscribers: 1 }] };
  const run = { id, batch, position: { offset: 5 }, messengerHosts: [], openDays: 7 };
  const { clock } = appliance.ports;
  expect(await applyBatch(db, clock, { ...run, owner: "the former owner" })).toBeNull();
  expect(channels()).toBe(0);
  expect((await appliance.app.sources.find("files")).position).toEqual({});
  expect(await applyBatch(db, clock, { ...run, owner: ELSEWHERE })).toMatchObject({ inserted: 1 });
  expect((await appliance.app.sources.find("files")).position).toEqual({ offset: 5 });
});

test("a run whose source was removed writes no more rows", async () => {
  const written = await readWith(() => appliance.app.sources.removeSource(id, COMMAND_LINE));
  expect(written).toBeGreaterThan(0);
  expect(channels()).toBe(written);
  expect(await appliance.app.sources.list()).toEqual([]);
});

test("a run whose process was killed is repeated at once, even after failures; a minute later if it was killed twice", async () => {
  const { sources, domains } = appliance.app;
  const read = appliance.ports.network.fileAt;
  appliance.ports.network.fileAt = () => ({ status: 500, headers: {}, body: "" });
  const look = async () => {
    await sources.tick();
    await sources.settled();
    return sources.find("files");
  };
  for (let failures = 1; failures <= 3; failures++) {
    expect(await look()).toMatchObject({ failures, failure: { code: "sourceStatus" } });
    appliance.ports.clock.advance(10 * 60_000);
  }
  const kill = () => {
    const ended = processName("ended").replace(` ${process.pid} `, " 999999999 ");
    statement(domains.db, "UPDATE sources SET owner = ?, started_at = ?").run(
      ended,
      appliance.ports.clock.now(),
    );
  };
  kill();
  expect(await look()).toMatchObject({ owner: null, failures: 5 });

  // The second process is killed too, before its run ended.
  statement(domains.db, "UPDATE sources SET failures = 1, failure = ?").run(
    JSON.stringify(RUN_KILLED),
  );
  kill();
  appliance.ports.network.fileAt = read;
  appliance.ports.clock.advance(59_000);
  expect(await look()).toMatchObject({ failures: 1 });
  expect(channels()).toBe(0);
  appliance.ports.clock.advance(1_000);
  expect(await look()).toMatchObject({ owner: null, failures: 0, failure: null });
  expect(channels()).toBe(ROWS);
});

test("a killed run that had written something new is repeated at once, however many were killed before", async () => {
  const { db } = appliance.app.domains;
  const killed = { failures: 5, failure: JSON.stringify(RUN_KILLED) };
  statement(db, "UPDATE sources SET owner = ?, failures = ?, failure = ?").run(
    ...[ELSEWHERE, killed.failures, killed.failure],
  );
  const write = (title: string) =>
    applyBatch(db, appliance.ports.clock, {
      ...{ id, owner: ELSEWHERE, batch: { channels: [{ id: 1, title, subscribers: 1 }] } },
      ...{ position: { offset: 5 }, messengerHosts: [], openDays: 7 },
    });
  await write("A");
  expect(await appliance.app.sources.find("files")).toMatchObject({ failures: 0, failure: null });
  statement(db, "UPDATE sources SET failures = ?, failure = ?").run(
    ...[killed.failures, killed.failure],
  );
  await write("A");
  expect(await appliance.app.sources.find("files")).toMatchObject({ failures: 5 });
});

test("a run on another machine keeps its source while it sends heartbeats, and is repeated a minute after the last one", async () => {
  const { sources, domains } = appliance.app;
  const heartbeat = (at: number) =>
    statement(domains.db, "UPDATE sources SET owner = ?, heartbeat_at = ?").run(ELSEWHERE, at);
  const look = async (afterMs: number) => {
    appliance.ports.clock.advance(afterMs);
    await sources.tick();
    await sources.settled();
    return (await sources.find("files")).owner;
  };
  for (let at = 1; at <= 5; at++) {
    heartbeat(at);
    expect(await look(59_000)).toBe(ELSEWHERE);
  }
  expect(await look(60_000)).toBe(ELSEWHERE);
  expect(channels()).toBe(0);
  expect(await look(1)).toBeNull();
  expect(channels()).toBe(ROWS);
});
