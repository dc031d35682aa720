import { afterEach, beforeEach, expect, test } from "bun:test";
import { dayOf, formatDay } from "../../../../src/values/moscow-time.ts";
import { createMachine, type Machine } from "../../../support/machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

test("recount counts both directories, and says how many counts changed", async () => {
  machine.write(
    "channels.ndjson",
    '{"id":1,"title":"A","subscribers":1,"category":"auto","categories":["blogs"],"territory":"russia"}',
  );
  await machine.run(["import", "channels", "channels.ndjson"]);
  const counted = () =>
    machine.query("SELECT slug, channels FROM categories WHERE channels > 0 ORDER BY slug");
  const right = [
    { slug: "auto", channels: 1 },
    { slug: "blogs", channels: 1 },
  ];
  // Imports update the counts too.
  expect(counted()).toEqual(right);
  const db = machine.open();
  db.exec("UPDATE categories SET channels = 0; UPDATE territories SET channels = 0");
  db.close();
  expect(await machine.json(["recount"])).toEqual({ changed: 3, days: 0 });
  expect((await machine.run(["recount"])).out).toBe("0 counts changed, 0 days changed.\n");
  expect(counted()).toEqual(right);
});

test("recount computes the metrics too", async () => {
  // Growth of a channel that nobody has read for a week is unknown.
  const [weekAgo, yesterday] = [8, 1].map((days) => formatDay(dayOf(Date.now()) - days));
  machine.write("channels.ndjson", '{"id":1,"title":"A","subscribers":150}');
  machine.write(
    "stats.ndjson",
    [
      `{"channel":1,"day":"${weekAgo}","subscribers":100}`,
      `{"channel":1,"day":"${yesterday}","subscribers":150}`,
    ].join("\n"),
  );
  for (const kind of ["channels", "stats"]) await machine.run(["import", kind, `${kind}.ndjson`]);
  const metrics = () =>
    machine.query(
      `SELECT growth_7d, growth_7d_percent FROM channel_metrics
       WHERE slot = (SELECT slot FROM metrics_read)`,
    );
  expect(metrics()).toEqual([]);
  await machine.run(["recount"]);
  expect(metrics()).toEqual([{ growth_7d: 50, growth_7d_percent: 5_000 }]);
});

test("openapi prints the document that is served, without a database", async () => {
  const { exitCode, out, notes } = await machine.runProgram(["openapi"], {
    environment: { KANALOG_BASE_URL: "https://api.example.com/kanalog/" },
  });
  expect({ exitCode, notes }).toEqual({ exitCode: 0, notes: "" });
  const document = JSON.parse(out);
  expect(document.openapi).toStartWith("3.");
  expect(document.paths["/v1/me/"].get.operationId).toBe("me_retrieve");
  expect(document.servers).toEqual([{ url: "https://api.example.com/kanalog" }]);
  expect(machine.exists("kanalog.db")).toBe(false);
});

test("config prints every setting with its current value, without opening a database", async () => {
  const { results } = await machine.json<{
    results: { name: string; value: string; doc: string }[];
  }>(["config"]);
  const values = Object.fromEntries(results.map(({ name, value }) => [name, value]));
  expect(values).toMatchObject({
    KANALOG_DB: machine.database,
    KANALOG_HOST: "127.0.0.1",
    KANALOG_PORT: "0",
    KANALOG_BASE_URL: null,
    KANALOG_QUERY_TIMEOUT_MS: "5000",
  });
  for (const { doc } of results) expect(doc).not.toBe("");
  const table = await machine.run(["config", "--all"]);
  expect(table.out).toContain("KANALOG_QUERY_TIMEOUT_MS");
  expect(machine.exists("kanalog.db")).toBe(false);
});

test("a setting's value can be read from a file", async () => {
  machine.write("timeout", "1234\n");
  const { exitCode, out } = await machine.run(["config"], {
    environment: { KANALOG_QUERY_TIMEOUT_MS_FILE: machine.path("timeout") },
  });
  expect(exitCode).toBe(0);
  expect(out).toMatch(/KANALOG_QUERY_TIMEOUT_MS +1234 /);
});

test("invalid settings stop every command that reads them, with one line per setting that names it", async () => {
  const environment = {
    KANALOG_PORT: "eighty",
    KANALOG_BASE_URL: "example.com",
    KANALOG_LOG_LEVEL_FILE: machine.path("missing"),
  };
  for (const words of [["serve"], ["start"], ["org", "list"], ["openapi"], ["config"]]) {
    const { exitCode, out, notes } = await machine.run(words, { environment });
    expect({ words, exitCode, out }).toEqual({ words, exitCode: 2, out: "" });
    expect(
      notes
        .trimEnd()
        .split("\n")
        .map((line) => line.split(":")[0]),
    ).toEqual([...["KANALOG_PORT", "KANALOG_BASE_URL", "KANALOG_LOG_LEVEL"]]);
  }
  expect(machine.exists("kanalog.db")).toBe(false);
});

test("options of serve override the environment, and their faults name the option", async () => {
  const wrong = await machine.run(["serve", "--port", "99999"], {
    environment: { KANALOG_PORT: "1" },
  });
  expect(wrong.exitCode).toBe(2);
  expect(wrong.notes).toContain("option '--port <port>' argument '99999' is invalid");
  machine.write("port", "1\n");
  const { address } = await machine.serve(
    ["serve", "--port", "0", "--host", "localhost", "--db", machine.path("other.db")],
    { environment: { KANALOG_PORT: "", KANALOG_PORT_FILE: machine.path("port") } },
  );
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  expect(machine.exists("other.db")).toBe(true);
  expect(machine.exists("kanalog.db")).toBe(false);
});

test("an address that cannot be listened on is reported in one line that names it, with exit 1", async () => {
  const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  try {
    const { exitCode, notes } = await machine.run(["serve"], {
      environment: { KANALOG_PORT: String(taken.port) },
    });
    expect(exitCode).toBe(1);
    expect(notes.trimEnd().split("\n")).toHaveLength(1);
    expect(notes).toContain(String(taken.port));
  } finally {
    await taken.stop(true);
  }
});

test("a database that cannot be opened is reported in one line that names it, with exit 1", async () => {
  machine.write("text.db", "no database, but a text that is long enough\n".repeat(100));
  const environment = { KANALOG_DB: machine.path("text.db") };
  const { exitCode, notes } = await machine.run(["org", "list"], { environment });
  expect(exitCode).toBe(1);
  expect(notes.trimEnd().split("\n")).toHaveLength(1);
  expect(notes).toContain("text.db");
});
