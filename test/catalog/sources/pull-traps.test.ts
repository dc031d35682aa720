import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { openInput } from "../../../src/catalog/imports/reading/input.ts";
import { openImport } from "../../../src/catalog/imports/writing/open-import.ts";
import type { Source } from "../../../src/catalog/sources/sources.table.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { systemNetwork } from "../../../src/ports/network.ts";
import { inEnglish } from "../../../src/values/messages/messages.ts";
import { MOSCOW_ZONE } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { DEFAULT_OPTIONS } from "../../support/stored-run.ts";

/** How file servers really behave, over real connections (sources, section 2). */

const MINUTE_MS = 60_000;
const GIB = 1024 ** 3;
const HEADER = "id,title,subscribers,is_public";
const GOOD = `${HEADER}\n1,One,100,true\n2,Two,200,true\n`;

let appliance: Appliance;
let answer: (request: Request) => Response | Promise<Response>;
let requests: Request[];
let server: Bun.Server<undefined>;
beforeEach(async () => {
  appliance = await startAppliance({ KANALOG_SOURCE_ALLOW: "127.0.0.0/8" });
  appliance.ports.network.download = systemNetwork({ ca: null }).download;
  requests = [];
  answer = () => new Response(GOOD);
  server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch(request) {
      requests.push(request);
      return answer(request);
    },
  });
  const reading = { format: null, from: null, map: {}, ignoreUnknown: false };
  const options = { rows: "channels", reading, timezone: MOSCOW_ZONE, strict: false } as const;
  const settings = { kind: "pull", url: `${server.url}channels.csv`, ...options } as const;
  await appliance.app.sources.add(
    { name: "files", schedule: "15m", headers: {}, settings },
    COMMAND_LINE,
  );
});
afterEach(async () => {
  await appliance.close();
  await server.stop(true);
});

/** Starts what is due a quarter of an hour later, and waits for its end. */
async function look(): Promise<Source> {
  appliance.ports.clock.advance(15 * MINUTE_MS);
  await appliance.app.sources.tick();
  await appliance.app.sources.settled();
  return appliance.app.sources.find("files");
}

const failureOf = ({ failure }: Source) => (failure === null ? null : inEnglish(failure));
const title = async (id: number) =>
  (await appliance.get(`/v1/msgr/channels/${id}/`)).body.title as string | undefined;
const with304 =
  (etag: () => string, body: () => string) =>
  (request: Request): Response =>
    request.headers.get("if-none-match") === etag()
      ? new Response(null, { status: 304, headers: { etag: etag() } })
      : new Response(body(), { headers: { etag: etag() } });

describe("an ETag", () => {
  test("that is weak is sent back unchanged", async () => {
    answer = with304(
      () => 'W/"1"',
      () => GOOD,
    );
    await look();
    expect(await look()).toMatchObject({ failure: null, position: { etag: 'W/"1"' } });
    expect(requests.at(-1)?.headers.get("if-none-match")).toBe('W/"1"');
  });

  test("that may exceed a server's header limit is not sent back", async () => {
    answer = () => new Response(GOOD, { headers: { etag: `"${"x".repeat(1_000)}"` } });
    await look();
    expect(await look()).toMatchObject({ failure: null, position: {} });
    expect(requests.at(-1)?.headers.has("if-none-match")).toBe(false);
  });

  test("that changes while the file does not costs a download, and changes no row", async () => {
    let edition = 0;
    answer = () => new Response(GOOD, { headers: { etag: `"${edition++}"` } });
    await look();
    const counts = { inserted: 0, updated: 0, unchanged: 2 };
    expect(await look()).toMatchObject({ failure: null, summary: counts });
  });

  test("that stays while the file changes hides the change until somebody demands another reading", async () => {
    let body = GOOD;
    answer = with304(
      () => '"same"',
      () => body,
    );
    const { id } = await look();
    body = GOOD.replace("One", "Changed");
    await look();
    expect(await title(1)).toBe("One");
    await appliance.app.sources.runNow(id, { isAgain: true });
    expect(await title(1)).toBe("Changed");
  });
});

test("a 304 without a body is a success with nothing to do", async () => {
  answer = with304(
    () => '"1"',
    () => GOOD,
  );
  await look();
  const source = await look();
  expect(source).toMatchObject({ failure: null, failures: 0, summary: { read: 2 } });
  expect(source.succeededAt).toBe(appliance.ports.clock.now());
  expect(requests).toHaveLength(2);
});

test("a 304 to an unconditional request is an error, because no file was ever read", async () => {
  answer = () => new Response(null, { status: 304 });
  expect(failureOf(await look())).toBe("The server answered with 304 instead of 200 and a file.");
});

test("truncated gzip is reported in one line, and changes nothing", async () => {
  const packed = gzipSync(`${GOOD}${"3,Three,300,true\n".repeat(5_000)}`);
  answer = () => new Response(packed.subarray(0, packed.length / 2));
  expect(failureOf(await look())).toMatch(/^\S+ is damaged or truncated: it cannot be unpacked/);
  expect(await title(1)).toBeUndefined();
});

test("a file sent while it was being written loses its truncated last row, and gets it the next time", async () => {
  let [etag, body] = ['"1"', `${GOOD}3,Thr`];
  answer = with304(
    () => etag,
    () => body,
  );
  expect(await look()).toMatchObject({ failure: null, summary: { inserted: 2, rejected: 1 } });
  [etag, body] = ['"2"', `${GOOD}3,Three,300,true\n`];
  expect(await look()).toMatchObject({ failure: null, summary: { inserted: 1, rejected: 0 } });
  expect(await title(3)).toBe("Three");
});

test("a redirect to a private address is not followed, and that server gets no request", async () => {
  let others = 0;
  const other = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.2" },
    fetch() {
      others += 1;
      return new Response(GOOD);
    },
  });
  answer = () => Response.redirect(other.url.href);
  expect(failureOf(await look())).toStartWith("The address redirects to another host, 127.0.0.2");
  expect(others).toBe(0);
  await other.stop(true);
});

describe("a file of more than 2 GiB", () => {
  const TOO_LARGE = "The file is larger than 2 GiB.";
  const leftBehind = () => readdirSync(tmpdir()).filter((one) => one.includes(ownUploads()));
  const ownUploads = () => `.upload-${process.pid}-`;

  test("is refused before any of it is read, if its length is announced", async () => {
    const { promise: isLeft, resolve: leave } = Promise.withResolvers<void>();
    const announcing = Bun.listen({
      ...{ port: 0, hostname: "127.0.0.1" },
      socket: {
        data(socket) {
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${2 * GIB + 1}\r\n\r\n`);
        },
        close: () => leave(),
      },
    });
    answer = () => {
      throw new Error("not requested");
    };
    const { sources } = appliance.app;
    const { id, settings } = await sources.find("files");
    await sources.removeSource(id, COMMAND_LINE);
    const url = `http://127.0.0.1:${announcing.port}/channels.csv`;
    const given = { name: "files", schedule: "15m", headers: {} };
    await sources.add({ ...given, settings: { ...settings, url } as never }, COMMAND_LINE);
    expect(failureOf(await look())).toBe(TOO_LARGE);
    await isLeft;
    expect(leftBehind()).toEqual([]);
    announcing.stop(true);
  });

  test("is given up at the limit if its length is not announced, and leaves nothing behind", async () => {
    const bytesMax = 100_000;
    const { download } = systemNetwork({ ca: null });
    let bound = 0;
    appliance.ports.network.download = (request) => {
      bound = request.bytesMax;
      return download({ ...request, bytesMax });
    };
    let isCancelled = false;
    const endless = () =>
      new ReadableStream({
        async pull(controller) {
          await new Promise(setImmediate);
          controller.enqueue(new Uint8Array(16_384).fill(120));
        },
        cancel() {
          isCancelled = true;
        },
      });
    answer = () => new Response(endless());
    expect(failureOf(await look())).toBe(TOO_LARGE);
    expect(bound).toBe(2 * GIB);
    expect(leftBehind()).toEqual([]);
    await server.stop(true);
    expect(isCancelled).toBe(true);
  });
});

test.each([
  ["gzip", gzipSync],
  ["zstd", zstdCompressSync],
])(
  "%s that decompresses to more than the limit is refused before any row is written",
  async (_, pack) => {
    const bytesMax = 1024 ** 2;
    const path = join(tmpdir(), `kanalog-packed-${process.pid}`);
    await Bun.write(path, pack(`${GOOD}${"\n".repeat(bytesMax)}`));
    try {
      const source = await openInput(path);
      const read = (unpackedBytesMax: number) =>
        openImport({ ...source, unpackedBytesMax }, "channels", DEFAULT_OPTIONS, []);
      expect(source.bytes).toBeLessThan(bytesMax / 100);
      await expect(read(bytesMax)).rejects.toThrow(
        `${path} unpacks to more than ${bytesMax / GIB} GiB.`,
      );
      await read(2 * bytesMax);
    } finally {
      rmSync(path);
    }
  },
);

describe("a header row that changes later", () => {
  test("is reported in one line, changes nothing, and is retried until it is corrected", async () => {
    let [etag, body] = ['"january"', GOOD];
    answer = with304(
      () => etag,
      () => body,
    );
    await look();
    [etag, body] = ['"june"', GOOD.replace("title", "unheard").replace("One", "Renamed")];
    const failed = await look();
    expect(failureOf(failed)).toContain("unheard");
    expect(failureOf(failed)).not.toContain("\n");
    expect(failed).toMatchObject({ failures: 1, position: { etag: '"january"' } });
    expect(await title(1)).toBe("One");
    expect(failureOf(await look())).toBe(failureOf(failed));
    body = GOOD.replace("One", "Mended");
    for (let looks = 0; looks < 5; looks++) await look();
    expect(await appliance.app.sources.find("files")).toMatchObject({ failures: 0 });
    expect(await title(1)).toBe("Mended");
  });

  test("within a file is rejected as a row, with its line; the rows around it are imported", async () => {
    answer = () => new Response(`${GOOD}${HEADER}\n3,Three,300,true\n`);
    const { failure, summary } = await look();
    expect(failure).toBeNull();
    expect(summary).toMatchObject({ inserted: 3, rejected: 1, rejects: [{ line: 4, count: 1 }] });
  });
});
