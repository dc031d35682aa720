import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createImportTurns } from "../../../src/catalog/sources/files/import-source-file.ts";
import type { FileSettings, Source } from "../../../src/catalog/sources/sources.table.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { inEnglish } from "../../../src/values/messages/messages.ts";
import { MOSCOW_ZONE } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { type FakeFile, fakeClock } from "../../support/fake-ports.ts";
import { until } from "../../support/until.ts";

/** What one source may cost the others: a minute at most (limits of one, "By construction", 4). */

const MINUTE_MS = 60_000;
const HEADER = "id,title,subscribers,is_public";
const GOOD = `${HEADER}\n1,One,100,true\n`;

let appliance: Appliance;
/** Files by host; of another host, nothing ever arrives. */
let files: Map<string, FakeFile>;
beforeEach(async () => {
  appliance = await startAppliance();
  files = new Map([["good.example.com", { status: 200, body: GOOD }]]);
  appliance.ports.network.fileAt = (url, { signal }) =>
    files.get(new URL(url).host) ??
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve({ fault: "timeout" }));
    });
});
afterEach(() => appliance.close());

const reading = { format: null, from: null, map: {}, ignoreUnknown: false };
const options = { rows: "channels", reading, timezone: MOSCOW_ZONE, strict: false } as const;

async function add(name: string, more: Partial<FileSettings> = {}): Promise<Source> {
  const settings = { kind: "pull", url: `https://${name}.example.com/a.csv`, ...options, ...more };
  const source = { name, schedule: "15m", headers: {}, settings: settings as FileSettings };
  return appliance.app.sources.add(source, COMMAND_LINE);
}

const find = (name: string) => appliance.app.sources.find(name);
const failureOf = async (name: string): Promise<string> => {
  const { failure } = await find(name);
  return failure === null ? "" : inEnglish(failure);
};
const isRead = async (name: string) => (await find(name)).succeededAt !== null;

test("servers that send next to nothing delay a healthy source not at all", async () => {
  for (const name of ["a", "b", "c", "d", "e", "f"]) await add(name);
  await add("good");
  await appliance.app.sources.tick();
  await until(() => isRead("good"));
  expect((await find("a")).owner).not.toBeNull();
});

test("a host serves one source at a time, and the one that has waited longest is next", async () => {
  await add("first", { url: "https://slow.example.com/a" } as never);
  await add("second", { url: "https://slow.example.com/b" } as never);
  const { sources } = appliance.app;
  await sources.tick();
  await sources.tick();
  expect(appliance.ports.network.downloads.map(({ path }) => path)).toEqual(["/a"]);
  files.set("slow.example.com", { fault: "slow" });
  await sources.pauseSource((await find("first")).id, COMMAND_LINE);
  await sources.tick();
  await until(async () => (await find("first")).owner === null);
  await sources.tick();
  await until(async () => (await failureOf("second")) !== "");
  expect(await failureOf("second")).toBe(
    "slow.example.com sent less than 64 KB a second over a minute, and was given up.",
  );
});

describe("a file that never ends", () => {
  const GIVEN_UP = "It had not ended after 60 minutes, and was given up.";

  test("is given up after an hour; the source's page says why, and so does the log", async () => {
    await add("slow");
    await appliance.app.sources.tick();
    appliance.ports.clock.advance(60 * MINUTE_MS - 1);
    expect((await find("slow")).owner).not.toBeNull();
    appliance.ports.clock.advance(1);
    await appliance.app.sources.settled();
    expect(await failureOf("slow")).toBe(GIVEN_UP);
    expect(appliance.ports.log.warnings).toContainEqual({
      fields: { source: "slow", reason: GIVEN_UP },
      message: "a source could not be read",
    });
  });

  test("may take as long as its source says", async () => {
    const { id } = await add("slow");
    await appliance.app.sources.setTimeLimit(id, 180 * MINUTE_MS, COMMAND_LINE);
    await appliance.app.sources.tick();
    appliance.ports.clock.advance(180 * MINUTE_MS - 1);
    expect((await find("slow")).owner).not.toBeNull();
    appliance.ports.clock.advance(1);
    await appliance.app.sources.settled();
    expect(await failureOf("slow")).toBe(GIVEN_UP.replace("60", "180"));
  });
});

describe("a compressed file of bad rows only", () => {
  const ROWS = 200_000;

  test.each([
    ["for their cells", `${HEADER}\n${"1,One,many,true\n".repeat(ROWS)}`, {}],
    [
      "for what the catalog lacks",
      `channel,day,subscribers\n${"17,2026-11-01,5\n".repeat(ROWS)}`,
      { rows: "stats" } as const,
    ],
  ])("is given up after its first 10,000 rows, rejected %s", async (_, body, more) => {
    files.set("bad.example.com", { status: 200, body: gzipSync(body) });
    await add("bad", more);
    await appliance.app.sources.tick();
    await appliance.app.sources.settled();
    expect(await failureOf("bad")).toMatch(/^All of the first 1\d{4} rows were rejected/);
    const { summary } = await find("bad");
    expect(summary?.read).toBeLessThan(ROWS / 2);
    expect(summary?.rejects).toHaveLength(1);
  });
});

test("a folder of a thousand bad files delays a healthy source not at all", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kanalog-bad-"));
  for (let at = 0; at < 1_000; at++) {
    const path = join(folder, `${at}.csv`);
    writeFileSync(path, `${HEADER}\n1,One,many,true\n`);
    utimesSync(path, new Date(0), new Date(0));
  }
  await add("folder", { kind: "folder", folder } as never);
  await add("good");
  await appliance.app.sources.tick();
  await until(() => isRead("good"));
  await appliance.app.sources.settled();
  expect(readdirSync(join(folder, "rejected"))).toHaveLength(1_000);
  rmSync(folder, { recursive: true });
});

describe("turns of imports", () => {
  const signal = new AbortController().signal;
  const limits = { deadlineMs: 60 * MINUTE_MS, signal };
  const begins = () => new Promise((resolve) => setImmediate(resolve));
  const endless = (own: AbortSignal) =>
    new Promise<never>((_, reject) => {
      own.addEventListener("abort", () => reject(new Error("stopped")));
    });

  test("one that takes longer than a minute is repeated among the long ones, beside which short ones go on", async () => {
    const clock = fakeClock("2026-11-20T12:00:00+03:00");
    const turns = createImportTurns(clock);
    let begun = 0;
    const slow = turns.take(1, limits, (own) => {
      begun += 1;
      return endless(own);
    });
    const outcome = slow.catch((error) => error);
    const waiting = turns.take(2, limits, async () => "done");
    await begins();
    clock.advance(MINUTE_MS);
    expect(await waiting).toBe("done");
    await until(() => begun === 2);
    expect(await turns.take(3, limits, async () => "done")).toBe("done");
    clock.advance(60 * MINUTE_MS);
    expect(await outcome).toMatchObject({ code: "timeout" });
  });

  test("one that does not stop when it is told to is left behind", async () => {
    const clock = fakeClock("2026-11-20T12:00:00+03:00");
    const turns = createImportTurns(clock);
    const stuck = turns.take(1, limits, () => new Promise<never>(() => {}));
    const outcome = stuck.catch((error) => error);
    const waiting = turns.take(2, limits, async () => "done");
    await begins();
    clock.advance(MINUTE_MS);
    clock.advance(10_000);
    expect(await waiting).toBe("done");
    await begins();
    clock.advance(60 * MINUTE_MS);
    clock.advance(10_000);
    expect(await outcome).toMatchObject({ code: "timeout" });
  });
});
