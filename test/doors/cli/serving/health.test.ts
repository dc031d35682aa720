import { afterEach, beforeEach, expect, test } from "bun:test";
import { createMachine, type Machine } from "../../../support/machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

const portOf = ({ address }: { address: string }): string => new URL(address).port;

test("a ready process is exit 0, as text or as JSON", async () => {
  const port = portOf(await machine.serve());
  // A configured HTTP proxy is not used.
  const environment = { KANALOG_PORT: port, http_proxy: "http://127.0.0.1:1" };
  const plain = await machine.run(["health"], { environment });
  expect(plain).toMatchObject({ exitCode: 0, notes: "" });
  // Warnings may follow, for instance about a lock held for long on a busy machine.
  expect(plain.out).toStartWith(`Ready at http://127.0.0.1:${port}.\n`);
  const { exitCode, out, notes } = await machine.run(["health", "--port", port, "--json"]);
  expect({ exitCode, notes }).toEqual({ exitCode: 0, notes: "" });
  expect(JSON.parse(out)).toMatchObject({
    ready: true,
    address: `http://127.0.0.1:${port}`,
    detail: expect.any(String),
    checks: { database: "ok", migrations: "ok", disk: "ok", usage: "ok" },
  });
});

test("warnings of a ready process are printed after it", async () => {
  const checks = { database: "ok", backup: "The backup of yesterday failed; the log says why." };
  const other = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json({ status: "ok", checks }),
  });
  const { exitCode, out } = await machine.run(["health", "--port", String(other.port)]);
  expect(exitCode).toBe(0);
  expect(out.split("\n")[1]).toBe(`Warning: ${checks.backup}`);
  await other.stop(true);
});

test("a process that listens on all addresses is asked on the loopback address", async () => {
  const port = portOf(await machine.serve(["serve", "--host", "0.0.0.0"]));
  const words = ["health", "--host", "0.0.0.0", "--port", port];
  expect(await machine.run(words)).toMatchObject({ exitCode: 0 });
  const { notes } = await machine.run(["health", "--host", "::", "--port", "1"]);
  expect(notes).toStartWith("Nothing answers at http://[::1]:1 (");
});

test("a process that is not ready is exit 1, with the reason", async () => {
  const port = portOf(await machine.serve());
  const db = machine.open();
  db.pragma("user_version = 999");
  db.close();
  const plain = await machine.run(["health", "--port", port]);
  expect(plain).toMatchObject({ exitCode: 1, out: "" });
  expect(plain.notes).toMatch(/^Not ready at http:\/\/127\.0\.0\.1:\d+: .* version 999.*\.\n$/);
  const { exitCode, out, notes } = await machine.run(["health", "--port", port, "--json"]);
  expect({ exitCode, notes }).toEqual({ exitCode: 1, notes: "" });
  expect(JSON.parse(out)).toMatchObject({ ready: false, checks: { database: "ok" } });
});

test("an address where nothing or another program answers is exit 1 with one sentence", async () => {
  const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hello") });
  const port = String(other.port);
  const wrong = await machine.run(["health", "--port", port]);
  expect(wrong.exitCode).toBe(1);
  expect(wrong.notes).toBe(
    `What answers at http://127.0.0.1:${port} is not Kanalog (status 200).\n`,
  );
  await other.stop(true);
  const none = await machine.run(["health", "--port", port]);
  expect(none.exitCode).toBe(1);
  expect(none.notes).toStartWith(`Nothing answers at http://127.0.0.1:${port} (`);
  expect(none.notes.trimEnd().split("\n")).toHaveLength(1);
});

test("a backup folder that is a file is refused at the start, in one line that names it", async () => {
  const environment = { KANALOG_BACKUP_DIR: machine.write("file", "") };
  const { exitCode, notes } = await machine.run(["serve"], { environment });
  expect(exitCode).toBe(2);
  expect(notes).toStartWith(`KANALOG_BACKUP_DIR: ${machine.path("file")} is not a folder`);
  expect(notes.trimEnd().split("\n")).toHaveLength(1);
});

test("a port of 0 is refused, asking for --port", async () => {
  const { exitCode, notes } = await machine.run(["health"]);
  expect(exitCode).toBe(2);
  expect(notes).toContain("--port");
});
