import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { importKinds } from "../../../src/catalog/imports/kinds/import-kinds.ts";
import { nothingRecognized } from "../../../src/catalog/imports/reading/recognized.ts";
import { runImport } from "../../../src/catalog/imports/writing/open-import.ts";
import { closeDay, followPosts, recountDays } from "../../../src/catalog/statistics/open-days.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import { dayOf, formatDay, parseDay } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { importText } from "../../support/import-text.ts";
import { createMachine } from "../../support/machine.ts";

/** Days with derived values follow their posts. */

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [channel(1), channel(2)]);
  await appliance.app.scheduler.runDue();
});
afterEach(() => appliance.close());

const DAY = "2026-11-20";
const clock = () => appliance.ports.clock;
const db = () => appliance.app.domains.db;

/** Sets the clock, and runs everything that is due then. */
async function at(instant: string): Promise<void> {
  clock().set(instant);
  await appliance.app.scheduler.runDue();
}

/** Views and posts of a channel's day, as the API shows them; null if the day has no row. */
async function values(day = DAY, id = 1): Promise<[views: number, posts: number] | null> {
  const path = `/v1/msgr/stats/daily/?channels=${id}&from=${day}&to=${day}`;
  const [row] = (await appliance.get(path)).body.results;
  return row === undefined ? null : [row.views, row.posts];
}

const posts = (rows: Record<string, unknown>[]) => imported(appliance, "posts", rows);
const stats = (rows: Record<string, unknown>[]) => imported(appliance, "stats", rows);

/** An import that ends right after its first commit, as if it were killed. */
async function killedImport(rows: Record<string, unknown>[]): Promise<void> {
  const stop = new Error("killed");
  const importing = runImport(
    importKinds.posts,
    (async function* () {
      yield rows.map((fields, index) => ({ line: index + 1, fields }));
    })(),
    {
      db: db(),
      clock: clock(),
      context: { clock: clock(), folder: null, messengerHosts: [], openDays: 7, note: () => {} },
      recognized: nothingRecognized("Europe/Moscow"),
      cells: { timezone: "Europe/Moscow", strict: true },
      replace: false,
      onReject: () => {},
      onProgress: () => {
        throw stop;
      },
    },
  );
  await expect(importing).rejects.toBe(stop);
}

const POST = { id: 1, channel: 1, published_at: "2026-11-20T11:00:00+03:00" };

test("a day's views change after 00:10 as long as its posts are still read", async () => {
  await posts([{ ...POST, views: 100 }]);
  await at("2026-11-21T00:10:30+03:00");
  expect(await values()).toEqual([100, 1]);
  await posts([{ id: 1, views: 250 }]);
  expect(await values()).toEqual([250, 1]);
  await at("2026-11-23T15:00:00+03:00");
  await posts([{ id: 1, views: 900 }]);
  expect(await values()).toEqual([900, 1]);
});

describe("every hour at :20", () => {
  beforeEach(async () => {
    await posts([{ ...POST, views: 100 }]);
    await at("2026-11-21T09:30:00+03:00");
    await killedImport([{ id: 1, views: 250 }]);
  });

  test("days follow the changes of an import that was interrupted", async () => {
    await at("2026-11-21T10:19:59+03:00");
    expect(await values()).toEqual([100, 1]);
    await at("2026-11-21T10:20:00+03:00");
    expect(await values()).toEqual([250, 1]);
    expect(appliance.ports.log.errors).toEqual([]);
  });

  test("only days whose posts changed are visited", async () => {
    const noted = () => db().prepare("SELECT channel_id, day FROM changed_days").all();
    expect(noted()).toEqual([{ channel_id: 1, day: parseDay(DAY) }]);
    await at("2026-11-21T10:20:00+03:00");
    expect(noted()).toEqual([]);
    db().exec("UPDATE daily_statistics SET views = 7 WHERE channel_id = 2");
    await at("2026-11-21T11:20:00+03:00");
    expect(await values(DAY, 2)).toEqual([7, 0]);
  });

  test("the next import also derives what an interrupted one left", async () => {
    await posts([{ id: 2, channel: 2, views: 3, published_at: POST.published_at }]);
    expect(await values()).toEqual([250, 1]);
    expect(await values(DAY, 2)).toEqual([3, 1]);
  });

  test("a day that two processes follow at once is correct", async () => {
    await Promise.all([followPosts(db(), clock(), 7), followPosts(db(), clock(), 7)]);
    expect(await values()).toEqual([250, 1]);
  });
});

test("days follow after a restart, and if two processes look at the same time", async () => {
  await appliance.close();
  const machine = createMachine();
  // The threads of a database in a file go by the machine's clock, and days stay open for a week only.
  const today = dayOf(systemClock.now());
  const day = formatDay(today - 1);
  const on = (time: string) => `${formatDay(today)}T${time}+03:00`;
  try {
    const environment = { KANALOG_DB: machine.database };
    appliance = await startAppliance(environment);
    await imported(appliance, "channels", [channel(1)]);
    await at(`${day}T12:00:00+03:00`);
    await posts([{ ...POST, published_at: `${day}T11:00:00+03:00`, views: 100 }]);
    await at(on("00:10:30"));
    await killedImport([{ id: 1, views: 250 }]);
    await appliance.close();

    appliance = await startAppliance(environment);
    const other = await startAppliance(environment);
    expect(await values(day)).toEqual([100, 1]);
    for (const { ports } of [appliance, other]) ports.clock.set(on("01:20:00"));
    await Promise.all([appliance, other].map(({ app }) => app.scheduler.runDue()));
    expect(await values(day)).toEqual([250, 1]);
    expect([appliance, other].flatMap(({ ports }) => ports.log.errors)).toEqual([]);
    await other.close();
  } finally {
    await machine.leave();
  }
});

test("more days than one transaction processes are all followed", async () => {
  const rows = Array.from({ length: 90 }, (_, at) => ({
    ...{ id: at + 1, channel: 100 + at, views: 1, published_at: POST.published_at },
  }));
  await imported(
    appliance,
    "channels",
    rows.map((row) => channel(row.channel)),
  );
  await posts(rows);
  await at("2026-11-21T00:10:30+03:00");
  await killedImport(rows.map(({ id }) => ({ id, views: id * 10 })));
  await at("2026-11-21T01:20:00+03:00");
  for (const { id, channel } of rows) expect(await values(DAY, channel)).toEqual([id * 10, 1]);
});

test("posts that arrive three days late count for their day", async () => {
  await at("2026-11-21T00:10:30+03:00");
  expect(await values()).toEqual([0, 0]);
  await at("2026-11-23T12:00:00+03:00");
  await posts([{ ...POST, views: 40 }]);
  expect(await values()).toEqual([40, 1]);
});

test("a post that moves to another day or channel, or is taken down, no longer counts for its previous day", async () => {
  await posts([
    { ...POST, views: 100 },
    { ...POST, id: 2, views: 30, published_at: "2026-11-19T11:00:00+03:00" },
  ]);
  await closeDay(db(), clock(), parseDay("2026-11-19") ?? 0);
  await at("2026-11-21T00:10:30+03:00");
  await posts([{ id: 1, published_at: "2026-11-19T11:00:00+03:00" }]);
  expect([await values(), await values("2026-11-19")]).toEqual([
    [0, 0],
    [130, 2],
  ]);
  await posts([{ id: 2, channel: 2 }]);
  expect(await values("2026-11-19")).toEqual([100, 1]);
  expect(await values("2026-11-19", 2)).toEqual([30, 1]);
  await posts([{ id: 1, deleted: true }]);
  expect(await values("2026-11-19")).toEqual([0, 0]);
});

test("the last 7 Moscow days follow, today included, and the day before them does not change", async () => {
  for (const [at, day] of ["2026-11-13", "2026-11-14"].entries()) {
    await posts([{ ...POST, id: at + 1, views: 5, published_at: `${day}T12:00:00+03:00` }]);
    await closeDay(db(), clock(), parseDay(day) ?? 0);
  }
  await posts([
    { id: 1, views: 50 },
    { id: 2, views: 50 },
  ]);
  expect(await values("2026-11-13")).toEqual([5, 1]);
  expect(await values("2026-11-14")).toEqual([50, 1]);
});

test("KANALOG_STATISTICS_OPEN_DAYS sets how many days follow, for imports and for the job", async () => {
  await appliance.close();
  appliance = await startAppliance({ KANALOG_STATISTICS_OPEN_DAYS: "2" });
  await imported(appliance, "channels", [channel(1)]);
  await appliance.app.scheduler.runDue();
  const days = ["2026-11-18", "2026-11-19"];
  await posts(
    days.map((day, at) => ({
      ...POST,
      id: at + 1,
      views: 5,
      published_at: `${day}T12:00:00+03:00`,
    })),
  );
  for (const day of days) await closeDay(db(), clock(), parseDay(day) ?? 0);
  await killedImport([
    { id: 1, views: 50 },
    { id: 2, views: 50 },
  ]);
  await at("2026-11-20T12:20:00+03:00");
  expect(await values("2026-11-18")).toEqual([5, 1]);
  expect(await values("2026-11-19")).toEqual([50, 1]);
  await posts([
    { id: 1, views: 60 },
    { id: 2, views: 60 },
  ]);
  expect(await values("2026-11-18")).toEqual([5, 1]);
  expect(await values("2026-11-19")).toEqual([60, 1]);
});

describe("an imported value", () => {
  beforeEach(() => posts([{ ...POST, views: 100 }]));

  test("is never changed, whether views, the number of posts, or both", async () => {
    await imported(appliance, "channels", [channel(3)]);
    await posts([2, 3].map((id) => ({ ...POST, id, channel: id, views: 100 })));
    await stats([
      { channel: 1, day: DAY, subscribers: 1, views: 7 },
      { channel: 2, day: DAY, subscribers: 1, posts: 8 },
      { channel: 3, day: DAY, subscribers: 1, views: 7, posts: 8 },
    ]);
    await posts([1, 2, 3].map((id) => ({ id, views: 250 })));
    await posts([1, 2, 3].map((id) => ({ ...POST, id: id + 10, channel: id, views: 1 })));
    const expectAsGiven = async (): Promise<void> => {
      expect(await values(DAY, 1)).toEqual([7, 2]);
      expect(await values(DAY, 2)).toEqual([251, 8]);
      expect(await values(DAY, 3)).toEqual([7, 8]);
    };
    await expectAsGiven();
    await recountDays(db(), clock());
    await expectAsGiven();
  });

  test("stays if a later import leaves its cell empty, while a derived one follows", async () => {
    await stats([{ channel: 1, day: DAY, subscribers: 1, views: 7 }]);
    await importText(appliance, "stats", `channel,day,subscribers,views,posts\n1,${DAY},5,,\n`);
    await posts([{ ...POST, id: 2, views: 1 }]);
    expect(await values()).toEqual([7, 2]);
  });

  test("replaces a derived one for good, even if it is the same", async () => {
    await at("2026-11-21T00:10:30+03:00");
    const row = { channel: 1, day: DAY, views: 100, posts: 1 };
    expect((await appliance.importRows("stats", [row])).updated).toBe(1);
    expect((await appliance.importRows("stats", [row])).unchanged).toBe(1);
    await posts([{ id: 1, views: 250 }]);
    expect(await values()).toEqual([100, 1]);
  });

  test("a row with only subscribers has derived values, which follow", async () => {
    await stats([{ channel: 1, day: DAY, subscribers: 1 }]);
    expect(await values()).toEqual([100, 1]);
    await posts([{ id: 1, views: 250 }]);
    expect(await values()).toEqual([250, 1]);
  });
});

test("a post whose views were never read counts as a post, and not in views", async () => {
  await posts([
    { ...POST, views: 100 },
    { ...POST, id: 2 },
    { ...POST, id: 3, views: 50 },
  ]);
  await at("2026-11-21T00:10:30+03:00");
  await posts([{ id: 3, views_at: null }]);
  expect(await values()).toEqual([100, 3]);
});

test("today has no row before it is closed, and then the values of its posts", async () => {
  await posts([{ ...POST, views: 100 }]);
  await posts([{ id: 1, views: 250 }]);
  expect(await values()).toBeNull();
  expect(db().prepare("SELECT * FROM changed_days").all()).toEqual([]);
  await at("2026-11-21T00:10:30+03:00");
  expect(await values()).toEqual([250, 1]);
});

test("a recount derives all days, however old, and reports how many changed", async () => {
  const published_at = "2025-03-01T12:00:00+03:00";
  await posts([{ ...POST, views: 5, published_at }]);
  const day = parseDay("2025-03-01") ?? 0;
  await closeDay(db(), clock(), day);
  for (let back = 1; back <= 700; back++) await closeDay(db(), clock(), day - back);
  await posts([{ id: 1, views: 50 }]);
  expect(await values("2025-03-01")).toEqual([5, 1]);
  expect(await recountDays(db(), clock())).toBe(1);
  expect(await values("2025-03-01")).toEqual([50, 1]);
  expect(await recountDays(db(), clock())).toBe(0);
});
