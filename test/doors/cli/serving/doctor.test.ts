import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { chmodSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { claimPort } from "../../../../src/app/listen.ts";
import type { CommandContext } from "../../../../src/doors/cli/command-context.ts";
import { runCommandLine } from "../../../../src/doors/cli/command-line.ts";
import type { Finding } from "../../../../src/upkeep/checks/finding.ts";
import { type FakePorts, fakePorts } from "../../../support/fake-ports.ts";
import { createMachine, type Machine } from "../../../support/machine.ts";

/** Every fault that the doctor knows is made once, on an appliance that is otherwise well. */
const NOW = "2026-11-20T12:00:00+03:00";
const CERTIFICATES = join(import.meta.dir, "../../../support/tls");
let machine: Machine;
let environment: Record<string, string>;
let ports: FakePorts;

/** Answers of the public address, as Caddy passes them on. */
const READY = { status: 200, header: () => null, body: '{"status":"ok","checks":{}}' };

beforeAll(async () => {
  machine = createMachine();
  expect((await machine.run(["plan", "list"])).exitCode).toBe(0);
});
afterAll(() => machine.leave());

beforeEach(() => {
  const at = new Date(NOW);
  utimesSync(machine.database, at, at);
  ports = fakePorts(NOW);
  ports.network.ask = async () => READY;
  environment = {
    KANALOG_DB: machine.database,
    KANALOG_PORT: "0",
    KANALOG_BASE_URL: "https://api.example.com",
    KANALOG_TRUST_PROXY: "true",
    KANALOG_SMTP_URL: "smtps://mail.example.com",
    KANALOG_BACKUP_DIR: machine.path("backups"),
  };
});

async function examine(): Promise<{ exitCode: number; findings: Finding[]; notes: string }> {
  let [out, notes] = ["", ""];
  const output = { out: (text: string) => (out += text), note: (text: string) => (notes += text) };
  const context = { environment, output, ports: () => ports, claimPort };
  const exitCode = await runCommandLine(["doctor", "--json"], context as unknown as CommandContext);
  return { exitCode, notes, findings: JSON.parse(out || '{"results":[]}').results };
}

test("an appliance that is well gets an ok for each, and exit 0", async () => {
  const { exitCode, findings, notes } = await examine();
  expect(findings.filter(({ state }) => state !== "ok")).toEqual([]);
  expect(findings.map(({ check }) => check)).toEqual([
    ...["settings", "file", "dictionary", "disk", "clock", "memory", "descriptors", "port"],
    ...["mail", "DNS", "certificate", "public address", "proxy headers", "OAuth", "backups"],
  ]);
  expect({ exitCode, notes }).toEqual({ exitCode: 0, notes: "" });
});

/** Changes that the fault leaves behind, undone after each test. */
const fault = (ms: number): Date => new Date(Date.parse(NOW) + ms);
const machineFacts = (more: object) => {
  const facts = ports.system.machine();
  ports.system.machine = () => ({ ...facts, ...more });
};

const FAULTS: [check: string, says: string, make: () => unknown][] = [
  ["settings", "KANALOG_WORKERS", () => (environment["KANALOG_WORKERS"] = "many")],
  ["settings", "did you mean KANALOG_DB", () => (environment["KANALOG_DBB"] = "x.db")],
  [
    "file",
    "is not a database",
    () => (environment["KANALOG_DB"] = machine.write("other.db", "x".repeat(8192))),
  ],
  ["file", "newer", newerFile],
  ["disk", "0 MiB free", () => (ports.system.free = 0)],
  ["clock", "written at", () => utimesSync(machine.database, fault(3e6), fault(3e6))],
  ["memory", "100 MiB", () => machineFacts({ availableBytes: 100 * 1024 ** 2 })],
  ["descriptors", "1024", () => machineFacts({ openFilesMax: 1024 })],
  ["port", "another program", takenPort],
  ["mail", "is down", () => (ports.mail.isDown = true)],
  ["DNS", "does not exist", () => ports.network.names.set("api.example.com", [])],
  ["DNS", "no name server", () => ports.network.names.set("mail.example.com", null)],
  [
    "certificate",
    "ends at",
    () => (ports.network.certificateEnd = async () => ({ endsAt: Date.parse(NOW) + 1e8 })),
  ],
  [
    "certificate",
    "CERT_HAS_EXPIRED",
    () => (ports.network.certificateEnd = async () => ({ fault: "CERT_HAS_EXPIRED" })),
  ],
  [
    "certificate",
    "KANALOG_WEBHOOK_CA",
    () => (environment["KANALOG_WEBHOOK_CA"] = certificate("expired.pem")),
  ],
  [
    "public address",
    "ECONNREFUSED",
    () => (ports.network.ask = async () => ({ fault: "ECONNREFUSED" })),
  ],
  [
    "public address",
    "another program answers 200",
    () => (ports.network.ask = async () => ({ ...READY, body: "hello" })),
  ],
  ["proxy headers", "not trusted", () => delete environment["KANALOG_TRUST_PROXY"]],
  ["proxy headers", "not set", () => delete environment["KANALOG_BASE_URL"]],
  ["OAuth", "mcp/: 200", () => (environment["KANALOG_OAUTH"] = "on")],
  ["backups", "none yet", () => ports.clock.set("2030-01-01T00:00:00Z")],
  ["backups", "EEXIST", () => (environment["KANALOG_BACKUP_DIR"] = machine.write("a file", ""))],
];

function certificate(name: string): string {
  const [pem = ""] =
    /-----BEGIN CERT[\s\S]*END CERTIFICATE-----/.exec(
      readFileSync(join(CERTIFICATES, name), "utf8"),
    ) ?? [];
  return pem;
}

function newerFile(): void {
  const path = machine.path("newer.db");
  environment["KANALOG_DB"] = path;
  const db = new BetterSqlite3(machine.database);
  db.exec(`VACUUM INTO '${path}'`);
  db.close();
  const newer = new BetterSqlite3(path);
  newer.pragma("user_version = 99999");
  newer.close();
}

let other: Bun.TCPSocketListener<undefined> | undefined;
function takenPort(): void {
  const data = (socket: Bun.Socket) => {
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi");
  };
  other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data } });
  environment["KANALOG_PORT"] = String(other.port);
}

test.each(FAULTS)("a fault of %s is found: %s", async (check, says, make) => {
  make();
  const { exitCode, findings } = await examine();
  other?.stop(true);
  const wrong = findings.filter(({ state }) => state === "wrong");
  expect(wrong.map((finding) => finding.check)).toContain(check);
  const found = wrong.find((finding) => finding.check === check);
  expect(JSON.stringify(found)).toContain(says);
  expect(found?.advice).not.toBe("");
  expect(exitCode).toBe(1);
});

test.skipIf(process.getuid?.() === 0)("a file that may not be written is found", async () => {
  chmodSync(machine.database, 0o400);
  const { findings } = await examine();
  chmodSync(machine.database, 0o600);
  expect(findings.find(({ check }) => check === "file")?.state).toBe("wrong");
});

test("on this machine, with its own clock, memory and limits, it says what it can", async () => {
  const { out } = await machine.run(["doctor", "--json"]);
  const results = JSON.parse(out).results as Finding[];
  const stateOf = (name: string) => results.find(({ check }) => check === name)?.state;
  for (const name of ["settings", "file", "disk", "memory"]) expect(stateOf(name), name).toBe("ok");
});
