import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { until } from "../support/until.ts";
import { usedUnits } from "../support/used-units.ts";

/** Costs of an export whose connection breaks, or whose process is killed, in the middle. */

const POSTS = 30_000;
const UNITS = POSTS / 1_000;
/** The thousand in progress, beyond those of which anything has reached the client's machine. */
const IN_PROGRESS = 1;

let machine: Machine;
let server: Serving;
let key: string;
/** Units of the tests before. */
let used = 0;
beforeAll(async () => {
  machine = createMachine();
  server = await machine.serve(["start"], { environment: { KANALOG_LOG_LEVEL: "info" } });
  await until(() => server.printed().includes("curl"));
  key = /knl_rw_[0-9A-Za-z]{38}/.exec(server.printed())?.[0] ?? "";
  expect((await machine.run(["org", "plan", "1", "profi"])).exitCode).toBe(0);
  const db = machine.open();
  db.exec(`
    INSERT INTO channels (id, kind, is_public, subscribers) VALUES (900000, 'channel', 1, 5);
    INSERT INTO channel_cards (id, title, categories, a_plus, verified)
      VALUES (900000, 'Big', '', 0, 0);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${POSTS})
    INSERT INTO posts (id, channel_id, msgr_post_id, published_at, is_ad, views, read_at, text)
      SELECT 1000000 + i, 900000, i, 1700000000000 + i, 0, 5, 1700000000000 + i,
        hex(randomblob(1000)) FROM n`);
  db.close();
});
afterAll(() => machine.leave());
beforeEach(() => {
  used = usedUnits(machine);
});

const PATH = "/v1/msgr/export/posts/?format=ndjson&channel=900000";
const stored = (): number => usedUnits(machine) - used;
const rowsIn = (text: string): number => text.split('{"id":').length - 1;

interface Taken {
  socket: Socket;
  rows(): number;
}

/** Requests the export, and reads until `enough`, then nothing more until the socket is resumed. */
async function take(enough: (rows: number, bytes: number) => boolean, header = ""): Promise<Taken> {
  const { hostname, port } = new URL(server.address);
  const socket = connect(Number(port), hostname);
  let [rows, bytes] = [0, 0];
  let isPaused = false;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.on("error", reject);
  socket.on("data", (chunk) => {
    rows += rowsIn(chunk.toString("latin1"));
    bytes += chunk.length;
    if (isPaused || !enough(rows, bytes)) return;
    isPaused = true;
    socket.pause();
    resolve();
  });
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\n${header}Authorization: Bearer ${key}\r\n\r\n`);
  await promise;
  return { socket, rows: () => rows };
}

/**
 * Reads what has reached the client's machine, whose buffer grows up to 32 MB with the speed at which it
 * read before it paused: that was sent, though no program has read it. The server stands still meanwhile.
 * @returns all rows that were sent
 */
async function received({ socket, rows }: Taken): Promise<number> {
  process.kill(server.pid, "SIGSTOP");
  const end = `:${socket.localPort?.toString(16).toUpperCase().padStart(4, "0")} `;
  socket.resume();
  await until(() => {
    const table = readFileSync("/proc/net/tcp", "utf8").split("\n");
    const own = table.filter((line) => line.includes(end));
    // Nothing waits to be sent, acknowledged or read.
    return own.length === 2 && own.every((line) => line.includes(" 00000000:00000000 "));
  });
  const sent = rows();
  socket.destroy();
  process.kill(server.pid, "SIGCONT");
  return sent;
}

/** Readings in a row, some requests apart, after which units count as settled: a busy machine takes long for a part. */
const SAME_READINGS = 10;

/** Recorded units once they no longer change. */
async function settled(): Promise<number> {
  let [units, same] = [-1, 0];
  await until(async () => {
    const now = stored();
    same = now === units ? same + 1 : 0;
    units = now;
    for (let count = 0; count < 50; count++) await server.get("/healthz");
    return same === SAME_READINGS;
  });
  return units;
}

test("an export does not read ahead of a client that pauses, and a client that leaves pays for what was sent", async () => {
  const taken = await take((count) => count >= 3_500);
  const waiting = await settled();
  const sent = Math.ceil((await received(taken)) / 1_000);
  expect(waiting).toBeGreaterThanOrEqual(sent);
  expect(waiting).toBeLessThanOrEqual(sent + IN_PROGRESS);
  const after = await settled();
  expect(after).toBeLessThanOrEqual(waiting + 1);
  expect(after).toBeLessThan(UNITS);

  // Its slot is released, and a complete export costs each thousand once.
  const whole = await Promise.all([server.get(PATH, key), server.get(PATH, key)]);
  for (const answer of whole) expect(rowsIn(await answer.text())).toBe(POSTS);
  expect(stored()).toBe(after + 2 * UNITS);
});

test.each(["", "Accept-Encoding: gzip\r\n"])(
  "a client that looks at the beginning pays for the thousand in progress, however long it looks (%j)",
  async (header) => {
    const { socket } = await take((_, bytes) => bytes >= 16_384, header);
    expect(await settled()).toBeLessThanOrEqual(2);
    socket.destroy();
    expect(await settled()).toBeLessThanOrEqual(2);
  },
);

test("a killed process has recorded the units of everything it sent", async () => {
  const { socket, rows } = await take((count) => count >= 5_000);
  const ended = new Promise((resolve) => socket.once("close", resolve));
  process.kill(server.pid, "SIGKILL");
  socket.resume();
  await ended;
  expect(stored()).toBeGreaterThanOrEqual(Math.ceil(rows() / 1_000));
  expect(stored()).toBeLessThanOrEqual(Math.ceil(rows() / 1_000) + IN_PROGRESS);
});

test.each(["ndjson", "csv"])(
  "a process that stops ends an export with a line that says where to continue (%s)",
  async (format) => {
    await server.stop();
    server = await machine.serve(["serve"], { environment: { KANALOG_LOG_LEVEL: "info" } });
    const { hostname, port } = new URL(server.address);
    const socket = connect(Number(port), hostname);
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (text.length < 1_000_000) return;
      if (!server.printed().includes('"stopping"')) socket.pause();
      resolve();
    });
    const ended = new Promise((settle) => socket.on("close", settle));
    const path = PATH.replace("ndjson", format);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    await begun;
    const stopped = server.stop();
    await until(() => server.printed().includes('"stopping"'), "the signal");
    socket.resume();
    await ended;
    expect(await stopped).toBe(0);
    // The chunk that ends the body: it was not cut off.
    expect(text.slice(-7)).toBe("\r\n0\r\n\r\n");
    const line =
      format === "csv"
        ? /\n# unavailable; .*; cursor=900000:(\d+)/
        : /"code":"unavailable".*:(\d+)"/;
    const cursor = Number(line.exec(text)?.[1]);
    expect(cursor).toBeWithin(1_000_001, 1_000_000 + POSTS);
    const row = (id: number): string => (format === "csv" ? `\n${id},` : `{"id":${id},`);
    expect(text).toContain(row(cursor));
    expect(text).not.toContain(row(cursor + 1));
  },
);
