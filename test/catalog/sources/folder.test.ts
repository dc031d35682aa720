import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Source } from "../../../src/catalog/sources/sources.table.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { inEnglish } from "../../../src/values/messages/messages.ts";
import { MOSCOW_ZONE } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";

/** A folder of files, each of which is imported once (sources, section 2). */

const MINUTE_MS = 60_000;

let appliance: Appliance;
let folder: string;
beforeEach(async () => {
  appliance = await startAppliance();
  folder = mkdtempSync(join(tmpdir(), "kanalog-folder-"));
  await add("1m");
});
afterEach(async () => {
  await appliance.close();
  rmSync(folder, { recursive: true, force: true });
});

function add(schedule: string): Promise<Source> {
  const reading = { format: null, from: null, map: {}, ignoreUnknown: false };
  const options = { rows: "channels", reading, timezone: MOSCOW_ZONE, strict: false } as const;
  const settings = { kind: "folder", folder, ...options } as const;
  return appliance.app.sources.add(
    { name: "folder", schedule, headers: {}, settings },
    COMMAND_LINE,
  );
}

/** Writes a file with one channel, last changed `ageMs` ago. */
function put(name: string, title: string, ageMs = MINUTE_MS): void {
  const path = join(folder, name);
  writeFileSync(path, `id,title,subscribers,is_public\n1,${title},100,true\n`);
  const at = new Date(appliance.ports.clock.now() - ageMs);
  utimesSync(path, at, at);
}

async function lookNow(): Promise<Source> {
  await appliance.app.sources.tick();
  await appliance.app.sources.settled();
  return appliance.app.sources.find("folder");
}

async function look(): Promise<Source> {
  const source = await lookNow();
  appliance.ports.clock.advance(MINUTE_MS);
  return source;
}

const title = async () => (await appliance.get("/v1/msgr/channels/1/")).body.title as string;
const read = async (): Promise<number> => {
  const days = await appliance.app.sources.rowsByDay(
    (await appliance.app.sources.find("folder")).id,
    7,
  );
  return days.reduce((sum, { rows }) => sum + rows, 0);
};

test("files are read in the order of their names, each once", async () => {
  put("2.csv", "Second");
  put("1.csv", "First");
  await look();
  expect(await title()).toBe("Second");
  expect(await read()).toBe(2);
  await look();
  expect(await read()).toBe(2);
});

test("a changed file is read again", async () => {
  put("1.csv", "First");
  await look();
  put("1.csv", "Other");
  await look();
  expect(await title()).toBe("Other");
});

test("a file that is still being written waits until it has settled", async () => {
  put("1.csv", "First", 9_999);
  await look();
  expect(await read()).toBe(0);
  await look();
  expect(await read()).toBe(1);
});

test("a file that has settled is read within seconds, long before the next interval, and later files after it", async () => {
  const { sources } = appliance.app;
  const { id } = await sources.find("folder");
  await sources.removeSource(id, COMMAND_LINE);
  await add("6h");
  put("1.csv", "First", 2_000);
  put("2.csv", "Second");
  expect(await lookNow()).toMatchObject({
    failures: 0,
    retryAt: appliance.ports.clock.now() + 10_000,
  });
  expect(await read()).toBe(0);
  appliance.ports.clock.advance(9_999);
  await lookNow();
  expect(await read()).toBe(0);
  appliance.ports.clock.advance(1);
  expect(await lookNow()).toMatchObject({ failures: 0, retryAt: null });
  expect(await title()).toBe("Second");
  expect(await read()).toBe(2);
  put("3.csv", "Third");
  appliance.ports.clock.advance(5 * 60 * MINUTE_MS);
  await lookNow();
  expect(await read()).toBe(2);
});

/** A file that cannot be read, long since written. */
function putBad(name: string, content = "no,such,columns\n"): void {
  writeFileSync(join(folder, name), content);
  utimesSync(join(folder, name), new Date(0), new Date(0));
}

const setAside = async () => {
  const { sources } = appliance.app;
  const files = await sources.setAside((await sources.find("folder")).id);
  return files.map(({ name, fault, isMoved }) => [name, fault && inEnglish(fault), isMoved]);
};

test("a file that cannot be read is moved aside with its reason, and later files are read", async () => {
  put("1.csv", "First");
  putBad("2.csv");
  put("3.csv", "Third");
  expect(await look()).toMatchObject({ failures: 0, failure: null });
  expect(await title()).toBe("Third");
  expect(readdirSync(folder).sort()).toEqual(["1.csv", "3.csv", "rejected"]);
  expect(readdirSync(join(folder, "rejected"))).toEqual(["2.csv"]);
  expect(await setAside()).toEqual([
    ["2.csv", expect.stringContaining("The header has unknown columns"), true],
  ]);
  await look();
  expect(await read()).toBe(2);
  // Another bad file of its name replaces none.
  putBad("2.csv", "other,bad,columns\n");
  await look();
  expect(readdirSync(join(folder, "rejected")).sort()).toEqual(["2.2.csv", "2.csv"]);
});

test("a file is set aside if all its rows are rejected, and read when it is put back", async () => {
  const channels = join(folder, "1.csv");
  putBad("1.csv", "id,title,subscribers,is_public\n2,Two,x,true\n3,,,\n");
  expect(await look()).toMatchObject({ failures: 0, summary: { read: 2, rejected: 2 } });
  expect(await setAside()).toEqual([["1.csv", expect.stringContaining("All rows (2)"), true]]);
  renameSync(join(folder, "rejected", "1.csv"), channels);
  await look();
  expect((await setAside())[0]?.[0]).toBe("1.csv");
  put("1.csv", "Corrected");
  await look();
  expect(await title()).toBe("Corrected");
  expect(await setAside()).toEqual([]);
});

test("a file that cannot be moved stays, and is left alone until it changes", async () => {
  // The name of the folder for rejected files is taken.
  put("rejected", "Third");
  putBad("2.csv");
  put("3.csv", "Third");
  await look();
  expect(await title()).toBe("Third");
  expect(await setAside()).toEqual([["2.csv", expect.anything(), false]]);
  const before = await read();
  await look();
  expect(await read()).toBe(before);
  put("2.csv", "Corrected");
  await look();
  expect(await title()).toBe("Corrected");
  expect(await setAside()).toEqual([]);
});

test("a file without rows is no error", async () => {
  writeFileSync(join(folder, "1.csv"), "id,title,subscribers,is_public\n");
  utimesSync(join(folder, "1.csv"), new Date(0), new Date(0));
  expect(await look()).toMatchObject({ failures: 0, summary: { read: 0 } });
});

test("files already read are read again on demand", async () => {
  put("1.csv", "First");
  await look();
  const { id } = await appliance.app.sources.find("folder");
  expect(await appliance.app.sources.runNow(id)).toMatchObject({ rows: 0, summary: null });
  expect(await appliance.app.sources.runNow(id, { isAgain: true })).toMatchObject({ rows: 1 });
});

test("the position has the delay of the last file", async () => {
  put("1.csv", "First", 25_000);
  expect((await look()).position).toEqual({ lagMs: 25_000 });
});

test("a file of the sample can be read, for a demonstration without an account", async () => {
  const name = "channels.ndjson";
  copyFileSync(join(import.meta.dir, "../../../data/sample", name), join(folder, name));
  utimesSync(join(folder, name), new Date(0), new Date(0));
  expect(await look()).toMatchObject({ failures: 0, summary: { rejected: 0 } });
  expect(await read()).toBeGreaterThan(5);
});

test("hidden files, incomplete files and subfolders are ignored", async () => {
  for (const name of [".hidden.csv", "a.csv.part", "b.tmp"]) put(name, "Never");
  mkdirSync(join(folder, "c.csv"));
  expect(await look()).toMatchObject({ failure: null, failures: 0 });
  expect(await read()).toBe(0);
});

test("a missing folder is reported", async () => {
  rmSync(folder, { recursive: true });
  const { failure } = await look();
  expect(failure && inEnglish(failure)).toBe(`The folder ${folder} cannot be read.`);
});

test("the summary adds up all files of a run, including rejected rows", async () => {
  put("1.csv", "First");
  writeFileSync(
    join(folder, "2.csv"),
    "id,title,subscribers,is_public\n2,Two,x,true\n3,,,\n4,Four,4,true\n",
  );
  utimesSync(join(folder, "2.csv"), new Date(0), new Date(0));
  put("3.csv", "Third");
  expect(await look()).toMatchObject({ failures: 0, summary: { read: 5, rejected: 2 } });
  expect(await read()).toBe(3);
});

test("a link is not followed, because it could lead to any file of this machine", async () => {
  const outside = mkdtempSync(join(tmpdir(), "kanalog-outside-"));
  const target = join(outside, "secret.csv");
  writeFileSync(target, "id,title,subscribers,is_public\n1,Secret,1,true\n");
  utimesSync(target, new Date(0), new Date(0));
  symlinkSync(target, join(folder, "1.csv"));
  expect(await look()).toMatchObject({ failures: 0, summary: null });
  expect(await read()).toBe(0);
  rmSync(outside, { recursive: true });
});
