import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { faultsOf } from "../support/file-faults.ts";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { connectRaw } from "../support/raw-http.ts";
import { until } from "../support/until.ts";
import { PASSWORD, remoteVisitor, type Visitor } from "../support/visitor.ts";

let machine: Machine;

/** Creates the first account, at the address that the process printed. */
async function setUp(server: Serving): Promise<Visitor> {
  await until(() => server.printed().includes("/account/set-up/"));
  const path = /\/account\/set-up\/\?token=\S+/.exec(server.printed())?.[0] ?? "";
  const visitor = remoteVisitor(server.address);
  const done = await visitor.post(path, {
    ...{ action: "set-up", token: path.split("=")[1] ?? "", name: "Ada", organization: "Acme" },
    ...{ email: "ada@example.com", password: PASSWORD },
  });
  expect(done.location).toBe("/staff/start/");
  return visitor;
}

function channels(count: number): string {
  const rows = Array.from({ length: count }, (_, at) => `${at + 1},Канал № ${at + 1},${at}`);
  return `id,title,subscribers\n${rows.join("\n")}\n`;
}

async function upload(
  visitor: Visitor,
  kind: string,
  content: string,
  name = "rows.csv",
): Promise<string> {
  const file = new File([content], name);
  const answer = await visitor.post("/staff/imports/", { action: "import", kind, file });
  expect(answer.status).toBe(303);
  return answer.headers.get("location") ?? "";
}

const uploads = () => readdirSync(machine.folder).filter((name) => name.includes(".upload-"));
const run = () =>
  machine.query<{ state: string; failure: string | null; summary: string }>(
    "SELECT state, failure, summary FROM import_runs ORDER BY id DESC",
  )[0];
/** The message as it is stored. */
const INTERRUPTED = JSON.stringify({ code: "importInterrupted", values: {} });
/** Rows whose import takes some seconds, at the pace at which it lets others have the lock. */
const MANY = 20_000;
const imported = () =>
  Number(machine.query<{ n: number }>("SELECT count(*) AS n FROM channels")[0]?.n);

describe("a serving process", () => {
  let server: Serving;
  let visitor: Visitor;
  beforeAll(async () => {
    machine = createMachine();
    server = await machine.serve();
    visitor = await setUp(server);
  });
  afterAll(async () => {
    expect(await server.stop()).toBe(0);
    await machine.leave();
  });

  test("does not fill its memory with a request that nobody reads, however large", async () => {
    const before = peakBytes(server.pid);
    const body = new Uint8Array(120 * 1024 ** 2);
    for (const path of ["/v1/me/", "/staff/imports/"]) {
      await fetch(server.address + path, { method: "POST", body }).catch(() => {});
    }
    expect(peakBytes(server.pid) - before).toBeLessThan(100 * 1024 ** 2);
    expect((await server.get("/healthz")).status).toBe(200);
  });

  test("leaves no file of an interrupted upload", async () => {
    const csrf = await visitor.csrf("/staff/imports/");
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const part = (name: string, value: string) =>
      `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const fields = part("csrf", csrf) + part("action", "import") + part("kind", "channels");
    const begun = `${fields}--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nid`;
    const { hostname, port } = new URL(server.address);
    const socket = await Bun.connect({ hostname, port: Number(port), socket: { data() {} } });
    socket.write(
      `POST /staff/imports/ HTTP/1.1\r\nHost: ${hostname}:${port}\r\nCookie: ${cookie}\r\n` +
        "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n" +
        `${begun}${"x".repeat(100_000)}`,
    );
    await until(() => uploads().length === 1);
    socket.end();
    await until(() => uploads().length === 0);
    expect(machine.query("SELECT 1 FROM import_runs")).toEqual([]);
  });

  test("shows an upload's progress while the API answers, and imports it completely", async () => {
    const { key } = await machine.customer();
    const path = await upload(visitor, "channels", channels(MANY));
    // A session is a row, which the library writes while the import holds the lock.
    const others = await Promise.all(
      [1, 2, 3].map(() => remoteVisitor(server.address).signIn("ada@example.com")),
    );
    expect(others.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect((await visitor.get(path)).body).toContain("data-refresh");
    const shares = new Set<string>();
    let answered = 0;
    await until(async () => {
      const { body } = await visitor.get(path);
      shares.add(/value="(\d+)"\/?><\/?p|<progress[^>]*value="(\d+)"/.exec(body)?.[2] ?? "");
      const answer = await server.get("/v1/msgr/categories/", key);
      await answer.text();
      expect(answer.status).toBe(200);
      answered += 1;
      return !body.includes("data-refresh");
    });
    expect(shares.size).toBeGreaterThan(1);
    // A request that waited for the import would be answered only once, after it.
    expect(answered).toBeGreaterThan(10);
    const { body } = await visitor.get(path);
    expect(body).toContain("<strong>20,000</strong> Inserted");
    expect(imported()).toBe(MANY);
    expect(uploads()).toEqual([]);
  });
});

describe("a process started for the test", () => {
  beforeEach(() => {
    machine = createMachine();
  });
  afterEach(() => machine.leave());

  test("writes a large upload to the disk and not into memory, and removes its file", async () => {
    const server = await machine.serve();
    const visitor = await setUp(server);
    const before = peakBytes(server.pid);
    // 60 MB in few rows: a large file that is quick to import.
    const title = "ж".repeat(1_000_000);
    const rows = Array.from({ length: 30 }, (_, at) => `{"id":${at + 1},"title":"${title}"}`);
    await upload(visitor, "channels", `${rows.join("\n")}\n`, "rows.ndjson");
    const uploaded = peakBytes(server.pid) - before;
    expect(uploaded).toBeLessThan(45 * 1024 ** 2);
    await until(() => run()?.state === "done");
    expect(JSON.parse(run()?.summary ?? "{}")).toMatchObject({ read: 30, rejected: 30 });
    await until(() => uploads().length === 0);
  });

  test("waits for an upload over a slow connection", async () => {
    const server = await machine.serve();
    const visitor = await setUp(server);
    const fields = {
      csrf: await visitor.csrf("/staff/imports/"),
      action: "import",
      kind: "channels",
    };
    const boundary = "between";
    const parts = Object.entries(fields).map(
      ([name, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const body =
      `${parts.join("")}--${boundary}\r\nContent-Disposition: form-data; name="file"; ` +
      `filename="rows.csv"\r\n\r\n${channels(40)}\r\n--${boundary}--\r\n`;
    const bytes = Buffer.from(body);
    const connection = await connectRaw(server.address);
    const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
    connection.send(
      [
        ...["POST /staff/imports/ HTTP/1.1", "Host: kanalog", `Cookie: ${cookie}`],
        `Content-Type: multipart/form-data; boundary=${boundary}`,
        ...[`Content-Length: ${bytes.length}`, "", ""],
      ].join("\r\n"),
    );
    const piece = Math.ceil(bytes.length / 40);
    for (let at = 0; at < bytes.length; at += piece) {
      await Bun.sleep(1_000);
      connection.send(bytes.subarray(at, at + piece));
    }
    expect((await connection.answer())?.status).toBe(303);
    connection.close();
    await until(() => imported() === 40);
  });

  test("marks an import whose process was killed as failed at the next start, and can repeat it", async () => {
    const first = await machine.serve();
    const visitor = await setUp(first);
    await upload(visitor, "channels", channels(MANY));
    await until(() => imported() > 1000);
    expect(uploads()).toHaveLength(1);
    process.kill(first.pid, "SIGKILL");
    await until(async () => !(await answers(first)));
    expect(run()?.state).toBe("running");

    const second = await machine.serve();
    expect(run()).toMatchObject({ state: "failed", failure: INTERRUPTED });
    expect(uploads()).toEqual([]);
    const again = remoteVisitor(second.address);
    await again.signIn("ada@example.com");
    expect((await again.get("/staff/imports/1/")).body).toContain("The import was interrupted.");
    const before = imported();
    const path = await upload(again, "channels", channels(MANY));
    await until(async () => !(await again.get(path)).body.includes("data-refresh"));
    expect(JSON.parse(run()?.summary ?? "{}")).toMatchObject({
      ...{ read: MANY, inserted: MANY - before, unchanged: before, rejected: 0 },
    });
    expect(await second.stop()).toBe(0);
    expect(faultsOf(machine.database)).toEqual([]);
  });

  test("does not touch an import that is running in another process on the file", async () => {
    const first = await machine.serve();
    const visitor = await setUp(first);
    const path = await upload(visitor, "channels", channels(MANY));
    await until(() => imported() > 1000);
    const second = await machine.serve();
    expect(run()).toMatchObject({ state: "running", failure: null });
    expect(await second.stop()).toBe(0);
    await until(async () => !(await visitor.get(path)).body.includes("data-refresh"));
    expect(run()).toMatchObject({ state: "done", failure: null });
    expect(imported()).toBe(MANY);
  }, 90_000);

  test("ends its imports soon when it is stopped, and records that in their rows", async () => {
    const server = await machine.serve();
    const visitor = await setUp(server);
    await upload(visitor, "channels", channels(2 * MANY));
    await upload(visitor, "channels", channels(10));
    await until(() => imported() > 1000);
    expect(await server.stop()).toBe(0);
    expect(imported()).toBeLessThan(2 * MANY);
    const runs = machine.query("SELECT state, failure FROM import_runs");
    const interrupted = { state: "failed", failure: INTERRUPTED };
    expect(runs).toEqual([interrupted, interrupted]);
    expect(uploads()).toEqual([]);
  });
});

async function answers(server: Serving): Promise<boolean> {
  return server.get("/healthz").then(
    () => true,
    () => false,
  );
}

/** Largest amount of memory that a process ever used. */
function peakBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
