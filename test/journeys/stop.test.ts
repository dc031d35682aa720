import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";

let machine: Machine;
let server: Serving;
let key: string;
beforeEach(async () => {
  machine = createMachine();
  server = await machine.serve(["start"], { environment: { KANALOG_LOG_LEVEL: "info" } });
  while (!server.printed().includes("curl")) await Bun.sleep(5);
  key = /knl_rw_[0-9A-Za-z]{38}/.exec(server.printed())?.[0] ?? "";
});
afterEach(() => machine.leave());

const CARD = "/v1/msgr/channels/1/";

const stored = (): number =>
  machine.query<{ used: number }>("SELECT coalesce(sum(used), 0) AS used FROM usage_periods")[0]
    ?.used ?? 0;

function logBytes(): number {
  const path = `${machine.database}-wal`;
  return existsSync(path) ? statSync(path).size : 0;
}

/** Settles once it has heard the signal. */
async function told(): Promise<void> {
  while (!server.printed().includes('"stopping"')) await Bun.sleep(5);
}

/** Requests that cannot be committed while somebody holds the lock, known to have come in. */
async function underWay(count: number): Promise<Promise<Response>[]> {
  const asked = Array.from({ length: count }, () => server.get(CARD, key));
  // Later ones, on connections of their own, are answered: by the third all of them were begun.
  for (let later = 0; later < 3; later++) await server.get("/healthz");
  return asked;
}

test("what is under way when the signal comes is answered, committed and in the file alone", async () => {
  for (let count = 0; count < 10; count++) {
    expect((await server.get(CARD, key)).status).toBe(200);
  }
  await server.get("/v1/msgr/channels/?q=хабр", key);
  expect(logBytes()).toBeGreaterThan(0);
  const holder = machine.open();
  holder.exec("BEGIN IMMEDIATE");
  const asked = await underWay(5);
  const stopped = server.stop();
  await told();
  holder.exec("COMMIT");
  const answers = await Promise.all(asked);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(await stopped).toBe(0);
  expect(server.printed()).toContain('"stopped"');
  // The other connection would keep a log that is in use: it is empty all the same.
  expect(logBytes()).toBe(0);
  holder.close();
  expect(stored()).toBe(16);
});

test("while it stops nobody new is let in, and what cannot be committed is a 503 that costs nothing", async () => {
  const holder = machine.open();
  holder.exec("BEGIN IMMEDIATE");
  const asked = await underWay(3);
  const stopped = server.stop();
  await told();
  const late = await fetch(server.address + CARD, { keepalive: false }).catch(() => null);
  expect(late?.status ?? 503).toBe(503);
  const answers = await Promise.all(asked);
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
  holder.exec("COMMIT");
  holder.close();
  expect(await stopped).toBe(0);
  expect(stored()).toBe(0);
});

test("a second signal, a second later, ends it at once; the same one twice does not", async () => {
  const holder = machine.open();
  holder.exec("BEGIN IMMEDIATE");
  const asked = await underWay(1);
  const settled = Promise.allSettled(asked);
  const stopped = server.stop();
  process.kill(server.pid, "SIGTERM");
  await told();
  await Bun.sleep(1_100);
  process.kill(server.pid, "SIGINT");
  // It would have ended with 0 once it had waited for what is under way.
  expect(await stopped).toBe(1);
  await settled;
  holder.exec("COMMIT");
  holder.close();
  // The next start finds all that was answered, which is nothing.
  expect(stored()).toBe(0);
  expect((await (await machine.serve()).get(CARD, key)).status).toBe(200);
});
