import { afterEach, beforeEach, expect, test } from "bun:test";
import { createServer, type Server } from "node:net";
import { openConnection } from "../../../src/db/cluster/connection.ts";

/** A connection's users, where nobody answers at its address. */

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

test("who waits in line is told what the first was told, without another try for each", async () => {
  const connection = openConnection(url, "test");
  const asked = Array.from({ length: 20 }, () => connection.use(async () => {}));
  const told = await Promise.allSettled(asked);
  expect(told.map(({ status }) => status)).toEqual(asked.map(() => "rejected"));
  expect(tried).toBe(1);
  // Who asks later has it tried again.
  await expect(connection.use(async () => {})).rejects.toMatchObject({ code: "unavailable" });
  await connection.close();
  expect(tried).toBe(2);
});
