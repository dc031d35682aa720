import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  catchUpPosts,
  createPostIndexing,
  optimizePostSearch,
  rebuildPostSearch,
} from "../../../src/catalog/post-search/catch-up.ts";
import { type Part, selectParts, tableOf } from "../../../src/catalog/post-search/parts.store.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { postSearchSteps } from "../../../src/upkeep/checks/post-search.store.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, expectOk, idsOf, imported, pathOfNext } from "../../support/expectations.ts";

/** The index of posts has a part for each month, which is renewed beside itself and then swapped. */

const MONTHS = 5;
const PER_MONTH = 6;

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [channel(1)]);
  await imported(
    appliance,
    "posts",
    Array.from({ length: MONTHS * PER_MONTH }, (_, at) => post(at + 1)),
  );
});
afterEach(() => appliance.close());

/** Of six posts a month, the last two are at the month's ends in Moscow, which are not those of UTC. */
function post(id: number, more: object = {}) {
  const month = Math.floor((id - 1) / PER_MONTH);
  const at = (id - 1) % PER_MONTH;
  const publishedAt =
    at === PER_MONTH - 1
      ? Date.UTC(2026, 5 + month + 1, 1) - 3 * 3_600_000 - 1
      : Date.UTC(2026, 5 + month, 1 + at * 3) - (at === 0 ? 3 * 3_600_000 : 0);
  return {
    ...{ id, channel: 1, text: `Ипотека ${id % 2 ? "дача" : "дом"}`, views: (id * 37) % 101 },
    published_at: new Date(publishedAt).toISOString(),
    ...more,
  };
}

const db = () => appliance.app.domains.db;
const states = () => selectParts(db()).map(({ state }: Part) => state);

function faults(): string[] {
  const found = postSearchSteps(db()).flatMap((step) => step.faults());
  // The check leaves its connection, which is a reader's elsewhere, without writing.
  db().pragma("query_only = OFF");
  return found;
}

async function allPages(query: string): Promise<{ ids: number[]; matches: number }> {
  const ids: number[] = [];
  let path: string | null = `/v1/msgr/posts/search/?${query}`;
  let matches = 0;
  while (path !== null) {
    const answer = await expectOk(appliance, path);
    matches = answer.body.matches;
    ids.push(...idsOf(answer));
    path = answer.body.next === null ? null : pathOfNext(answer.body.next);
  }
  return { ids, matches };
}

/** A clock by which each step of the work takes the whole of its time, so that a turn is one step. */
function oneStepAtATime(): Clock {
  const { clock } = appliance.ports;
  let nowMs = clock.monotonic();
  return Object.assign(Object.create(clock), {
    monotonic: () => {
      nowMs += 1_000;
      return nowMs;
    },
  });
}

const NEWEST_FIRST = Array.from({ length: MONTHS * PER_MONTH }, (_, at) => MONTHS * PER_MONTH - at);

test("each Moscow month has a part, and searches go through all of them", async () => {
  expect(states()).toEqual(Array(MONTHS).fill("read"));
  for (const part of selectParts(db())) {
    const rows = db()
      .prepare<{ n: number }>(`SELECT count(*) AS n FROM post_search_${part.id}_docsize`)
      .get();
    expect(rows).toEqual({ n: PER_MONTH });
  }
  expect(await allPages("q=ипотека&limit=4")).toEqual({ ids: NEWEST_FIRST, matches: 30 });
  const even = NEWEST_FIRST.filter((id) => id % 2 === 0);
  expect(await allPages("q=дом&limit=4")).toEqual({ ids: even, matches: 15 });
  const viewed = [...NEWEST_FIRST].sort((one, other) => ((other * 37) % 101) - ((one * 37) % 101));
  expect((await allPages("q=ипотека&limit=7&ordering=-views")).ids).toEqual(viewed);
  const ranked = await allPages("q=ипотека&limit=100&ordering=-relevance");
  expect(ranked.ids).toEqual(NEWEST_FIRST);
  const august = NEWEST_FIRST.filter((id) => Math.ceil(id / PER_MONTH) === 3);
  expect((await allPages("q=ипотека&from=2026-08-01&to=2026-08-31")).ids).toEqual(august);
});

test("while the index is renewed, each step leaves a search that finds everything as it is then", async () => {
  const clock = oneStepAtATime();
  await rebuildPostSearch(db(), appliance.ports.clock);
  let expected = NEWEST_FIRST;
  const seen = new Set<string>();
  for (let step = 1; appliance.app.postIndex.percent() !== null; step += 1) {
    // As after a kill: nothing is kept from one step to the next but the file.
    await catchUpPosts(db(), clock, true);
    for (const state of states()) seen.add(state);
    if (step === 4) await imported(appliance, "posts", [post(1, { deleted: true })]);
    if (step === 6) await imported(appliance, "posts", [post(29, { text: "Кредит" })]);
    if (step === 8) await imported(appliance, "posts", [post(14, { text: "Кредит" })]);
    if (step === 9) await imported(appliance, "posts", [post(14)]);
    if (step === 4) expected = expected.filter((id) => id !== 1);
    if (step === 6) expected = expected.filter((id) => id !== 29);
    const found = await allPages("q=ипотека&limit=100");
    const isStep8 = step === 8;
    expect(found.ids).toEqual(isStep8 ? expected.filter((id) => id !== 14) : expected);
    expect(step).toBeLessThan(200);
  }
  expect([...seen].sort()).toEqual(["building", "leaving", "read"]);
  while (states().includes("leaving")) await catchUpPosts(db(), clock, true);
  expect(states()).toEqual(Array(MONTHS).fill("read"));
  expect(selectParts(db()).every(({ is_due }) => is_due === 0)).toBe(true);
  expect(faults()).toEqual([]);
  const tables = db()
    .prepare<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE name LIKE 'post_search_%_data'",
    )
    .all();
  expect(tables).toHaveLength(MONTHS);
});

test("a full disk while the index is renewed leaves it as it was, and the next turn goes on", async () => {
  const { clock, log } = appliance.ports;
  await rebuildPostSearch(db(), clock);
  db().exec("CREATE TABLE filler (content BLOB)");
  db().pragma(`max_page_count = ${Number(db().pragmaValue("page_count"))}`);
  expect(() => {
    for (;;) db().exec("INSERT INTO filler VALUES (zeroblob(20000))");
  }).toThrow();
  const hasRoom = async () => null;
  const turn = () => catchUpPosts(db(), clock, true);
  const indexing = createPostIndexing(db(), turn, true, log, hasRoom);
  await indexing.tick();
  expect(indexing.percent()).not.toBeNull();
  expect(await allPages("q=ипотека&limit=100")).toEqual({ ids: NEWEST_FIRST, matches: 30 });
  db().pragma("max_page_count = 1000000000");
  for (let turn = 0; turn < 20 && indexing.percent() !== null; turn += 1) await indexing.tick();
  expect(indexing.percent()).toBeNull();
  expect(await allPages("q=ипотека&limit=100")).toEqual({ ids: NEWEST_FIRST, matches: 30 });
  expect(faults()).toEqual([]);
});

test("a month that is over is merged into one segment, which is found and kept up to date like the others", async () => {
  const { clock } = appliance.ports;
  for (const hour of [1, 2, 3]) {
    const published_at = `2026-06-05T0${hour}:00:00Z`;
    await imported(appliance, "posts", [post(100 + hour, { published_at })]);
  }
  const before = await allPages("q=ипотека&limit=100");
  expect(before.ids).toHaveLength(NEWEST_FIRST.length + 3);
  const segments = () =>
    selectParts(db()).map((part) =>
      db()
        .prepare(`SELECT count(DISTINCT segid) FROM ${tableOf(part)}_idx`)
        .pluck<number>()
        .get(),
    );
  expect(segments()).toEqual([1, 1, 1, 1, 4]);
  await optimizePostSearch(db(), clock);
  expect(segments()).toEqual([1, 1, 1, 1, 1]);
  expect(await allPages("q=ипотека&limit=100")).toEqual(before);
  await imported(appliance, "posts", [{ id: 102, deleted: true }]);
  const left = before.ids.filter((id) => id !== 102);
  expect((await allPages("q=ипотека&limit=100")).ids).toEqual(left);
  expect(faults()).toEqual([]);
});

test("a disk that is nearly full is left to what cannot wait: the index is renewed once there is room", async () => {
  const { clock, log } = appliance.ports;
  await rebuildPostSearch(db(), clock);
  let fault: string | null = "Less than 64 MiB are free.";
  const turn = () => catchUpPosts(db(), clock, true);
  const indexing = createPostIndexing(db(), turn, true, log, async () => fault);
  const changes = () => db().prepare("SELECT total_changes() AS n").get();
  const before = changes();
  for (let tick = 0; tick < 3; tick += 1) await indexing.tick();
  expect(changes()).toEqual(before);
  const waits = "the index of post search waits for room on the disk";
  expect(log.warnings.filter(({ message }) => message === waits)).toHaveLength(1);
  expect(await allPages("q=ипотека&limit=100")).toEqual({ ids: NEWEST_FIRST, matches: 30 });
  fault = null;
  for (let tick = 0; tick < 20 && indexing.percent() !== null; tick += 1) await indexing.tick();
  expect(indexing.percent()).toBeNull();
  expect(faults()).toEqual([]);
});
