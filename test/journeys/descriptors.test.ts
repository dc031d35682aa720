import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { createMachine, type Machine, PROGRAM } from "../support/machine.ts";
import { connectRaw, type RawConnection } from "../support/raw-http.ts";

const LIMIT = 128;
/** Descriptors left for threads and the database while connections are opened. */
const LEFT = 8;
const TRIES_MAX = 1_000;

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

test("without free file descriptors searches are refused, the process continues, and answers them once there are some", async () => {
  const { key } = await machine.customer();
  const program = ["sh", "-c", `ulimit -n ${LIMIT} && exec "$@"`, "sh", ...PROGRAM];
  const { address, pid } = await machine.serve(["serve"], { program });
  const ask = async (connection: RawConnection, path: string) => {
    connection.send(
      `GET ${path} HTTP/1.1\r\nHost: kanalog\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
    return connection.answer();
  };
  const first = await connectRaw(address);
  const others: RawConnection[] = [];
  while (readdirSync(`/proc/${pid}/fd`).length < LIMIT - LEFT) {
    const connection = await connectRaw(address);
    expect((await ask(connection, "/healthz"))?.status).toBe(200);
    others.push(connection);
  }
  // Opens more than can be accepted.
  for (let more = 0; more < 2 * LEFT; more++) others.push(await connectRaw(address));
  expect((await ask(first, "/healthz"))?.status).toBe(200);

  const search = "/v1/msgr/channels/?q=word";
  const refused = await ask(first, search);
  expect(refused).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
  expect((await ask(first, "/v1/me/"))?.status).toBe(200);

  for (const connection of others) connection.close();
  let answer = await ask(first, search);
  for (let tries = 1; answer?.status === 503 && tries < TRIES_MAX; tries++) {
    answer = await ask(first, search);
  }
  expect(answer?.status).toBe(200);
  first.close();
});
