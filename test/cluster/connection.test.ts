import { afterEach, beforeEach, expect, test } from "bun:test";
import { createServer, type Server } from "node:net";
import { openConnection } from "../../src/cluster/connection.ts";
import { hasPostgres, newPostgresDatabase } from "../support/postgres.ts";

/** A connection to an address where nothing answers, and to a server that stops taking writes. */

let server: Server;
let tried: number;
let url: string;

beforeEach(async () => {
  tried = 0;
  server = createServer((socket) => {
    tried += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  url = `postgres://nobody@127.0.0.1:${port}/nothing`;
});
afterEach(() => void server.close());

test("uses that waited for a failed attempt to connect get its error, without further attempts", async () => {
  const connection = openConnection(url, "test");
  const uses = Array.from({ length: 20 }, () => connection.use(async () => {}));
  const outcomes = await Promise.allSettled(uses);
  expect(outcomes.map(({ status }) => status)).toEqual(uses.map(() => "rejected"));
  expect(tried).toBe(1);
  // A later use tries again.
  await expect(connection.use(async () => {})).rejects.toMatchObject({ code: "unavailable" });
  await connection.close();
  expect(tried).toBe(2);
});

test.skipIf(!hasPostgres)(
  "a connection on which the server has become read-only is replaced at the next use",
  async () => {
    const connection = openConnection(await newPostgresDatabase(), "test");
    const query = (sql: string) => connection.use((session) => session.query(sql));
    await query("SET default_transaction_read_only = on");
    await expect(query("CREATE TABLE written (at int)")).rejects.toMatchObject({
      code: "unavailable",
    });
    await query("CREATE TABLE written (at int)");
    await connection.close();
  },
);
