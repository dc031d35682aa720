import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { usedUnits } from "../support/used-units.ts";

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

const stored = (): number => usedUnits(machine);

function logBytes(): number {
  const path = `${machine.database}-wal`;
  return existsSync(path) ? statSync(path).size : 0;
}

/** Settles once the process has received the signal. */
async function signalReceived(): Promise<void> {
  while (!server.printed().includes('"stopping"')) await Bun.sleep(5);
}

/**
 * Sends requests that cannot be committed while the test holds the lock, and makes sure that they have
 * arrived.
 */
async function underWay(count: number): Promise<Promise<Response>[]> {
  const pending = Array.from({ length: count }, () => server.get(CARD, key));
  // Later requests on separate connections are answered: by the third, all earlier ones have been received.
  for (let later = 0; later < 3; later++) await server.get("/healthz");
  return pending;
}

test("requests in progress when the signal comes are answered, committed, and in the file without its log", async () => {
  for (let count = 0; count < 10; count++) {
    expect((await server.get(CARD, key)).status).toBe(200);
  }
  await server.get("/v1/msgr/channels/?q=хабр", key);
  expect(logBytes()).toBeGreaterThan(0);
  const holder = machine.open();
  holder.exec("BEGIN IMMEDIATE");
  const pending = await underWay(5);
  const stopped = server.stop();
  await signalReceived();
  holder.exec("COMMIT");
  const answers = await Promise.all(pending);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(await stopped).toBe(0);
  expect(server.printed()).toContain('"stopped"');
  // The log is empty even though the other connection still uses it.
  expect(logBytes()).toBe(0);
  holder.close();
  expect(stored()).toBe(16);
});

test("during a shutdown no new request is accepted, and one that cannot be committed gets a 503 and costs nothing", async () => {
  const holder = machine.open();
  holder.exec("BEGIN IMMEDIATE");
  const pending = await underWay(3);
  const stopped = server.stop();
  await signalReceived();
  const late = await fetch(server.address + CARD, { keepalive: false }).catch(() => null);
  expect(late?.status ?? 503).toBe(503);
  const answers = await Promise.all(pending);
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
  holder.exec("COMMIT");
  holder.close();
  expect(await stopped).toBe(0);
  expect(stored()).toBe(0);
});

test("a second signal a second later ends the process at once; a repeated one right away does not", async () => {
  const holder = machine.open();
  holder.exec("BEGIN IMMEDIATE");
  const pending = await underWay(1);
  const settled = Promise.allSettled(pending);
  const stopped = server.stop();
  process.kill(server.pid, "SIGTERM");
  await signalReceived();
  await Bun.sleep(1_100);
  process.kill(server.pid, "SIGINT");
  // It would have exited with 0 after waiting for the requests in progress.
  expect(await stopped).toBe(1);
  await settled;
  holder.exec("COMMIT");
  holder.close();
  // The next start finds all units that were answered, which are none.
  expect(stored()).toBe(0);
  expect((await (await machine.serve()).get(CARD, key)).status).toBe(200);
});
