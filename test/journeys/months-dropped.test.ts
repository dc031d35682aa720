import { afterEach, beforeEach, expect, test } from "bun:test";
import { connect } from "node:net";
import { openDatabase } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { letGoOldParts, removeOldMonths } from "../../src/upkeep/retention/old-months.ts";
import { createMachine, type Machine } from "../support/machine.ts";

/** Exports of real processes whose months are dropped while they are read. */

const POSTS = 30_000;

let machine: Machine;
beforeEach(async () => {
  machine = createMachine();
  machine.write("channels.csv", "id,kind,title,subscribers\n1,channel,News,5\n");
  await machine.json(["import", "channels", "channels.csv"]);
  const db = machine.open();
  // Each second of a year that is long gone, and the last one of today.
  db.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ${POSTS})
    INSERT INTO posts (id, channel_id, msgr_post_id, published_at, is_ad, views, read_at, text)
      SELECT i, 1, i, iif(i > ${POSTS}, ${Date.now()}, 1700000000000 + i * 1000), 0, 5, 0,
        hex(randomblob(1000)) FROM n`);
  db.close();
});
afterEach(() => machine.leave());

async function dropMonths(): Promise<void> {
  using db = openDatabase(machine.database, systemClock);
  const kept = { posts: 3, statistics: null };
  await letGoOldParts(db, systemClock, kept);
  expect((await removeOldMonths(db, systemClock, kept)).posts?.removed).toBe(POSTS);
}

const rowsIn = (text: string): number => text.split('{"id":').length - 1;

test("a customer's export whose months are dropped meanwhile says so, and goes on from its cursor", async () => {
  const { key } = await machine.customer();
  const server = await machine.serve();
  const { hostname, port } = new URL(server.address);
  const path = "/v1/msgr/export/posts/?format=ndjson&channel=1";
  const socket = connect(Number(port), hostname);
  let text = "";
  let isPaused = false;
  const begun = Promise.withResolvers<void>();
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    if (isPaused || text.length < 1_000_000) return;
    isPaused = true;
    socket.pause();
    begun.resolve();
  });
  const ended = new Promise((settle) => socket.on("close", settle));
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  );
  await begun.promise;
  await dropMonths();
  socket.resume();
  await ended;
  expect(rowsIn(text)).toBeWithin(1, POSTS);
  const [, day, cursor] =
    /"code":"unavailable","detail":"Rows before (\S+) are no longer kept.*"cursor":"(.*)"/.exec(
      text,
    ) ?? [];
  expect(day).toMatch(/^\d{4}-\d\d-01$/);
  const rest = await server.get(`${path}&cursor=${cursor}`, key);
  const rows = (await rest.text()).trimEnd().split("\n");
  expect(rows.map((row) => JSON.parse(row).id)).toEqual([POSTS + 1]);
  expect(await server.stop()).toBe(0);
});

test("an export by command whose months are dropped meanwhile fails and says why", async () => {
  const { stdout, stderr, exited } = machine.spawn([
    ...["export", "posts", "-", "--format", "ndjson"],
  ]);
  const reader = stdout.getReader();
  const decoder = new TextDecoder();
  let text = decoder.decode((await reader.read()).value);
  await dropMonths();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  expect(rowsIn(text)).toBeWithin(1, POSTS);
  expect(await stderr.text()).toMatch(/Rows before \d{4}-\d\d-01 are no longer kept/);
  expect(await exited).toBe(1);
});
