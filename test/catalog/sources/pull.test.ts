import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { NewSettings } from "../../../src/catalog/sources/source-adding.ts";
import { readHeader } from "../../../src/catalog/sources/source-address.ts";
import type { Source } from "../../../src/catalog/sources/sources.table.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { inEnglish } from "../../../src/values/messages/messages.ts";
import { MOSCOW_ZONE } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import type { FakeFile } from "../../support/fake-ports.ts";

/** Files at web addresses, read on a schedule (sources, sections 1 and 2). */

const MINUTE_MS = 60_000;
const URL_OF_FILE = "https://files.example.com/channels.csv";
const TWO_CHANNELS = "id,title,subscribers,is_public\n1,One,100,true\n2,Two,200,true\n";

let appliance: Appliance;
let answer: FakeFile;
beforeEach(async () => {
  appliance = await startAppliance({ KANALOG_SOURCE_ALLOW: "10.0.0.0/8" });
  answer = { status: 200, body: TWO_CHANNELS };
  appliance.ports.network.fileAt = () => answer;
});
afterEach(() => appliance.close());

interface Wanted {
  name?: string;
  url?: string;
  schedule?: string;
  headers?: Record<string, string>;
}

function add(given: Wanted = {}) {
  const { name = "files", url = URL_OF_FILE, schedule = "15m", headers = {} } = given;
  const reading = { format: null, from: null, map: {}, ignoreUnknown: false };
  const source: NewSettings = {
    ...{ name, schedule, headers },
    settings: {
      kind: "pull",
      url,
      rows: "channels",
      reading,
      timezone: MOSCOW_ZONE,
      strict: false,
    },
  };
  return appliance.app.sources.add(source, COMMAND_LINE);
}

/** Starts what is due, as the process does every few seconds, and waits for its end. */
async function look(): Promise<Source> {
  await appliance.app.sources.tick();
  await appliance.app.sources.settled();
  return appliance.app.sources.find("files");
}

const pass = (durationMs: number) => appliance.ports.clock.advance(durationMs);
const downloads = () => appliance.ports.network.downloads;
const title = async (id: number) =>
  (await appliance.get(`/v1/msgr/channels/${id}/`)).body.title as string;
const failureOf = ({ failure }: Source) => (failure === null ? null : inEnglish(failure));

describe("a file at a web address", () => {
  test("is imported at once, and then on schedule", async () => {
    await add();
    expect(await look()).toMatchObject({ failures: 0, failure: null, owner: null });
    expect(await title(2)).toBe("Two");
    answer = { status: 200, body: TWO_CHANNELS.replace("Two", "Three") };
    pass(15 * MINUTE_MS - 1);
    await look();
    expect(downloads()).toHaveLength(1);
    pass(1);
    await look();
    expect(await title(2)).toBe("Three");
  });

  test("is requested with the ETag and date of the last import, so that only changes are sent", async () => {
    const headers = { etag: 'W/"7"', "last-modified": "Sun, 22 Nov 2026 10:00:00 GMT" };
    answer = { status: 200, headers, body: TWO_CHANNELS };
    await add();
    await look();
    answer = { status: 304 };
    pass(15 * MINUTE_MS);
    expect(await look()).toMatchObject({ failure: null, failures: 0, summary: { read: 2 } });
    expect(downloads().map(({ headers }) => headers)).toEqual([
      expect.not.objectContaining({ "if-none-match": expect.anything() }),
      expect.objectContaining({
        "if-none-match": 'W/"7"',
        "if-modified-since": "Sun, 22 Nov 2026 10:00:00 GMT",
      }),
    ]);
  });

  test("counts as read if some of its rows were rejected, but not if it could not be parsed", async () => {
    answer = { status: 200, headers: { etag: '"bad"' }, body: "no,such,columns\n1,2,3\n" };
    await add();
    expect(await look()).toMatchObject({ failures: 1, position: {} });
    answer = { status: 200, headers: { etag: '"good"' }, body: `${TWO_CHANNELS}x,,,\n` };
    pass(MINUTE_MS);
    expect(await look()).toMatchObject({
      failures: 0,
      position: { etag: '"good"' },
      summary: { read: 3, rejected: 1 },
    });
  });

  test("counts as unread if all its rows were rejected, and is requested again without its ETag", async () => {
    answer = {
      ...{ status: 200, headers: { etag: '"none"' } },
      body: "id,title,subscribers,is_public\nx,,,\n",
    };
    await add();
    const source = await look();
    expect(source).toMatchObject({ failures: 1, position: {}, summary: { read: 1, rejected: 1 } });
    expect(failureOf(source)).toStartWith("All rows (1) were rejected");
    answer = { status: 200, headers: { etag: '"good"' }, body: TWO_CHANNELS };
    pass(MINUTE_MS);
    expect(await look()).toMatchObject({ failures: 0, position: { etag: '"good"' } });
    expect(downloads().at(-1)?.headers).not.toHaveProperty("if-none-match");
  });

  test("is requested unconditionally when somebody demands it", async () => {
    answer = { status: 200, headers: { etag: '"1"' }, body: TWO_CHANNELS };
    const { id } = await add();
    await look();
    await appliance.app.sources.runNow(id, { isAgain: true });
    expect(downloads().at(-1)?.headers).not.toHaveProperty("if-none-match");
    await appliance.app.sources.runNow(id);
    expect(downloads().at(-1)?.headers).toMatchObject({ "if-none-match": '"1"' });
  });

  test("reports its delay if the server tells when it changed", async () => {
    const at = new Date(appliance.ports.clock.now() - 90_000).toUTCString();
    answer = { status: 200, headers: { "last-modified": at }, body: TWO_CHANNELS };
    await add();
    expect((await look()).position).toEqual({ lastModified: at, lagMs: 90_000 });
  });

  test("may be compressed; a truncated one changes nothing", async () => {
    const packed = gzipSync(TWO_CHANNELS);
    answer = { status: 200, body: packed.subarray(0, packed.length - 8) };
    await add();
    const source = await look();
    expect(failureOf(source)).toContain("is damaged or truncated");
    expect((await appliance.get("/v1/msgr/channels/1/")).status).toBe(404);
    answer = { status: 200, body: packed };
    pass(MINUTE_MS);
    await look();
    expect(await title(1)).toBe("One");
  });

  test("is requested with the source's headers, which are stored encrypted", async () => {
    const source = await add({ headers: { authorization: "Bearer secret-word" } });
    await look();
    expect(downloads()[0]?.headers).toMatchObject({ authorization: "Bearer secret-word" });
    expect(Buffer.from(source.secret ?? "").toString("latin1")).not.toContain("secret-word");
    expect(JSON.stringify(source.settings)).not.toContain("secret-word");
  });
});

describe("when the other side fails", () => {
  test("the wait doubles with each failure, up to an hour, and ends with a success", async () => {
    answer = { fault: "unreachable" };
    await add();
    const waits: number[] = [];
    let last = 0;
    for (let minutes = 0; minutes < 300; minutes++) {
      await look();
      if (downloads().length > waits.length) {
        waits.push(minutes - last);
        last = minutes;
      }
      pass(MINUTE_MS);
    }
    expect(waits).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
    answer = { status: 200, body: TWO_CHANNELS };
    pass(60 * MINUTE_MS);
    expect(await look()).toMatchObject({ failures: 0, failure: null });
    pass(15 * MINUTE_MS);
    await look();
    expect(downloads()).toHaveLength(12);
  });

  test("the next run waits as long as Retry-After says", async () => {
    answer = { status: 429, headers: { "retry-after": "600" } };
    await add();
    await look();
    pass(10 * MINUTE_MS - 1);
    await look();
    expect(downloads()).toHaveLength(1);
    pass(1);
    await look();
    expect(downloads()).toHaveLength(2);
  });

  test.each<[string, FakeFile, string]>([
    [
      "an HTML page",
      { status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body: "<html>" },
      "The server answered with an HTML page instead of a file: does the address require signing in?",
    ],
    ["a 404", { status: 404 }, "The server answered with 404 instead of 200 and a file."],
    ["silence", { fault: "timeout" }, "files.example.com sent nothing for a minute."],
    [
      "a wrong certificate",
      { fault: "certificate" },
      "The certificate of files.example.com is not valid for this name, or its issuer is not trusted here (KANALOG_WEBHOOK_CA).",
    ],
    [
      "an answer cut short",
      { fault: "broken" },
      "files.example.com closed the connection before the end of its response.",
    ],
    ["3 GiB", { fault: "too_large" }, "The file is larger than 2 GiB."],
    [
      "a redirect to another host",
      { status: 302, headers: { location: "https://elsewhere.example.com/" } },
      "The address redirects to another host, elsewhere.example.com. If you trust that host, give the address there.",
    ],
    [
      "a redirect to a private address",
      { status: 302, headers: { location: "https://10.0.0.1/" } },
      "The address redirects to another host, 10.0.0.1. If you trust that host, give the address there.",
    ],
    [
      "redirects without end",
      { status: 307, headers: { location: "/more" } },
      "The address redirects more than 5 times.",
    ],
  ])("%s is reported in one line, and changes nothing", async (_, file, expected) => {
    answer = file;
    await add();
    expect(failureOf(await look())).toBe(expected);
    expect(downloads().every(({ authority }) => authority === "files.example.com")).toBe(true);
    expect((await appliance.get("/v1/msgr/channels/1/")).status).toBe(404);
  });

  test("a redirect on the same host is followed", async () => {
    appliance.ports.network.fileAt = (url) =>
      url === URL_OF_FILE ? { status: 301, headers: { location: "new.csv" } } : answer;
    await add();
    expect(await look()).toMatchObject({ failure: null });
    expect(await title(1)).toBe("One");
  });

  test("a private address is never connected to, unless it is in the operator's own networks", async () => {
    appliance.ports.network.names.set("files.example.com", ["192.168.1.1"]);
    await add();
    expect(failureOf(await look())).toContain("files.example.com is in a private network");
    expect(downloads()).toEqual([]);
    appliance.ports.network.names.set("files.example.com", ["10.0.0.1"]);
    pass(MINUTE_MS);
    expect(await look()).toMatchObject({ failure: null });
  });

  test("http is only accepted into the operator's own networks", async () => {
    const { names } = appliance.ports.network;
    const url = "http://files.example.com/channels.csv";
    names.set("files.example.com", ["93.184.215.14"]);
    await expect(add({ url })).rejects.toMatchObject({
      fields: { url: [expect.stringContaining("or its address begins with http://")] },
    });
    expect(await appliance.app.sources.list()).toEqual([]);
    names.set("files.example.com", ["10.0.0.1"]);
    await add({ url });
    names.set("files.example.com", ["93.184.215.14"]);
    expect(failureOf(await look())).toContain("or its address begins with http://");
    expect(downloads()).toEqual([]);
    names.set("files.example.com", ["10.0.0.1"]);
    pass(MINUTE_MS);
    await look();
    expect(downloads()).toMatchObject([{ isSecure: false, port: 80, address: "10.0.0.1" }]);
  });

  test("http is refused if no networks of the operator are configured", async () => {
    await appliance.close();
    appliance = await startAppliance();
    appliance.ports.network.names.set("files.example.com", ["10.0.0.1"]);
    await expect(add({ url: "http://files.example.com/channels.csv" })).rejects.toMatchObject({
      fields: { url: [expect.stringContaining("add it to KANALOG_SOURCE_ALLOW")] },
    });
  });
});

describe("several sources", () => {
  test("are read at the same time, and a waiting one sends heartbeats", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    appliance.ports.network.fileAt = async () => {
      await promise;
      return answer;
    };
    const { sources } = appliance.app;
    await add();
    await add({ name: "others", url: "https://others.example.com/channels.csv" });
    await sources.tick();
    const [one, other] = await sources.list();
    expect([one?.owner, other?.owner]).toEqual([expect.any(String), expect.any(String)]);
    pass(MINUTE_MS);
    await sources.tick();
    const later = await sources.find("files");
    expect(later.heartbeatAt).toBe((one?.heartbeatAt ?? 0) + MINUTE_MS);
    resolve();
    await sources.settled();
    expect(await sources.list()).toMatchObject([
      { owner: null, failures: 0, summary: { read: 2 } },
      { owner: null, failures: 0, summary: { read: 2 } },
    ]);
  });
});

describe("a source", () => {
  test("that was paused during a run is not run again by the next process", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    appliance.ports.network.fileAt = async () => {
      await promise;
      return { fault: "timeout" };
    };
    const { sources } = appliance.app;
    const { id } = await add();
    await sources.tick();
    await sources.pauseSource(id, COMMAND_LINE);
    const stopped = sources.stop();
    resolve();
    await stopped;
    expect(await sources.find("files")).toMatchObject({ owner: null, isRequested: false });
  });

  test.each(["pauseSource", "removeSource"] as const)("stops its run after %s", async (verb) => {
    const { promise: requested, resolve } = Promise.withResolvers<void>();
    appliance.ports.network.fileAt = (_, { signal }) => {
      resolve();
      const { promise, resolve: end } = Promise.withResolvers<FakeFile>();
      signal.addEventListener("abort", () => end({ fault: "timeout" }));
      return promise;
    };
    const { sources } = appliance.app;
    const { id } = await add();
    await sources.tick();
    await requested;
    await sources[verb](id, COMMAND_LINE);
    await sources.tick();
    await sources.settled();
    const left = verb === "removeSource" ? [] : [{ owner: null, isPaused: true, failures: 0 }];
    expect(await sources.list()).toMatchObject(left);
  });

  test.each(["Authorization: Bearer ключ", "Authorization", ": x", "A\u0000: b"])(
    "rejects a header such as %p",
    (header) => expect(readHeader(header)).toBeNull(),
  );

  test("is not read while paused, except on request", async () => {
    const { id } = await add();
    await appliance.app.sources.pauseSource(id, COMMAND_LINE);
    await look();
    expect(downloads()).toEqual([]);
    await appliance.app.sources.requestRun(id, COMMAND_LINE);
    await look();
    expect(downloads()).toHaveLength(1);
    await look();
    expect(downloads()).toHaveLength(1);
  });

  test("is silent after three of its intervals without a success", async () => {
    answer = { fault: "unreachable" };
    await add();
    pass(45 * MINUTE_MS);
    expect(await appliance.app.sources.silent()).toEqual([]);
    pass(1);
    expect(await appliance.app.sources.silent()).toHaveLength(1);
  });

  test("follows its schedule after a clock that was a year ahead is corrected", async () => {
    pass(400 * 24 * 60 * MINUTE_MS);
    await add();
    await look();
    pass(-400 * 24 * 60 * MINUTE_MS);
    await look();
    expect(downloads()).toHaveLength(2);
    await look();
    expect(downloads()).toHaveLength(2);
  });

  test("is gone when removed; the rows it delivered stay", async () => {
    const { id } = await add();
    await look();
    await appliance.app.sources.removeSource(id, COMMAND_LINE);
    expect(await appliance.app.sources.list()).toEqual([]);
    expect(await title(1)).toBe("One");
  });

  test.each([
    ["url", { url: "ftp://files.example.com/" }],
    ["url", { url: "http://files.example.com:443/" }],
    ["url", { url: "https://192.168.1.1/" }],
    ["url", { url: "http://93.184.215.14/" }],
    ["url", { url: "https://user:password@files.example.com/" }],
    ["schedule", { schedule: "10s" }],
    ["schedule", { schedule: "0 0 30 2 *" }],
    ["schedule", { schedule: "sometimes" }],
  ])("is refused with a wrong %s: %p", async (field, value) => {
    await expect(add(value)).rejects.toMatchObject({ fields: { [field]: [expect.any(String)] } });
    expect(await appliance.app.sources.list()).toEqual([]);
  });
});
