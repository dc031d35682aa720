import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { dayOf } from "../../src/values/moscow-time.ts";
import { createMachine, type Machine, PROGRAM } from "../support/machine.ts";
import { until } from "../support/until.ts";

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

const TABLES = [
  "channels",
  "channel_cards",
  "posts",
  "daily_statistics",
  "categories",
  "territories",
];
const PEOPLE = ["organizations", "members", "keys"];

const count = (table: string): number =>
  machine.query<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]?.n ?? -1;
const countAll = () =>
  Object.fromEntries([...TABLES, ...PEOPLE].map((table) => [table, count(table)]));

/** The sample's days and posts end yesterday, whenever it is loaded. */
function expectEndsYesterday(): void {
  const yesterday = dayOf(Date.now()) - 1;
  const [row] = machine.query<{ day: number; posted: number }>(
    "SELECT (SELECT max(day) FROM daily_statistics) AS day, (SELECT max(published_at) FROM posts) AS posted",
  );
  // Midnight may have passed during the start.
  expect([yesterday - 1, yesterday]).toContain(row?.day as number);
  expect(dayOf(row?.posted as number)).toBe(row?.day as number);
}

test("the first start has sample data and prints all that is needed; the next one has another key only if nobody used the first", async () => {
  const server = await machine.serve(["start"], { environment: { KANALOG_LOG_LEVEL: "debug" } });
  await until(() => server.printed().includes("curl"));
  const text = server.printed();
  // These lines are printed together, whatever is logged meanwhile.
  const block = text.slice(text.indexOf("  Address"), text.indexOf("  curl"));
  expect(block).toContain(`${server.address}/account/set-up/?token=`);
  expect(block).not.toContain('{"level"');
  expect(text).toContain(`${server.address}/docs/`);
  const key = /knl_rw_[0-9A-Za-z]{38}/.exec(text)?.[0] ?? "";
  expect(key).not.toBe("");
  expect((await fetch(`${server.address}/docs/`)).status).toBe(200);

  const sample = countAll();
  expect(sample).toMatchObject({ organizations: 1, members: 1, keys: 1, channels: 9 });
  for (const table of TABLES) expect(count(table), table).toBeGreaterThan(0);
  expectEndsYesterday();
  expect(text).toContain(`${sample["channels"]} sample channels`);
  expect(await server.stop()).toBe(0);

  // Nobody has used the key.
  const second = await machine.serve(["start"]);
  await until(() => second.printed().includes("curl"));
  const [another = ""] = /knl_rw_[0-9A-Za-z]{38}/.exec(second.printed()) ?? [];
  expect(another).not.toBe(key);
  const line =
    second
      .printed()
      .split("\n")
      .find((candidate) => candidate.trim().startsWith("curl ")) ?? "";
  const address = /"(http[^"]+)"/.exec(line)?.[1] ?? "";
  const printed = Bun.which("curl")
    ? await new Response(Bun.spawn(["sh", "-c", line.trim()], { stderr: "ignore" }).stdout).text()
    : await (await second.get(address.slice(second.address.length), another)).text();
  const { results } = JSON.parse(printed);
  expect(results).toHaveLength(2);
  expect(results[0].subscribers).toBeGreaterThanOrEqual(results[1].subscribers);

  for (const each of [key, another]) {
    expect((await second.get("/v1/me/", each)).status).toBe(200);
  }
  expect(countAll()).toEqual({ ...sample, keys: 2 });
  expect(await second.stop()).toBe(0);

  // The keys were used, so the third start changes nothing, and says how to create another.
  const third = await machine.serve(["start"]);
  await until(() => third.printed().includes("key create"));
  expect(third.printed()).not.toContain("knl_rw_");
  expect(third.printed()).toContain("key create --member 1");
  expect((await third.get("/v1/me/", key)).status).toBe(200);
  expect(countAll()).toEqual({ ...sample, keys: 2 });
  expect(await third.stop()).toBe(0);
});

test("at a first start no log line interrupts the text for people, and none is lost", async () => {
  const printed = () => (machine.exists("printed") ? machine.read("printed") : "");
  // Both streams go to one file, in the order in which a terminal shows them.
  machine.spawn(["start"], {
    environment: { KANALOG_LOG_LEVEL: "debug" },
    program: ["sh", "-c", 'exec "$@" >>printed 2>&1', "sh", ...PROGRAM],
  });
  await until(() => printed().includes("Kanalog serves at"));
  const address = /http:\/\/[\d.:]+/.exec(printed())?.[0];
  // Each request is logged in one line.
  let requests = 0;
  while (!printed().includes("  curl ")) {
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    requests += 1;
  }
  const text = printed();
  expect(text.slice(text.indexOf("Kanalog serves at"), text.indexOf("  curl "))).not.toContain("{");
  expect(requests).toBeGreaterThan(1);
  await until(() => printed().split('"/healthz"').length > requests);
});

test("serve on a new file creates the schema and the shipped directories, and nothing else", async () => {
  const path = machine.path("new/folder/kanalog.db");
  const server = await machine.serve(["serve", "--db", path]);
  expect((await server.get("/readyz")).status).toBe(200);
  expect(await server.stop()).toBe(0);
  expect([...new Bun.Glob("**/*").scanSync(machine.folder)].sort()).toEqual([
    "new/folder/kanalog.db",
    "new/folder/kanalog.db-turns",
    "new/folder/kanalog.db.secret",
  ]);

  renameSync(path, machine.database);
  for (const table of [...PEOPLE, "channels", "channel_cards", "posts", "daily_statistics"]) {
    expect(count(table), table).toBe(0);
  }
  expect(count("plans")).toBe(4);
  const shipped = (name: string) =>
    readFileSync(join(import.meta.dir, "../../data/directories", name), "utf8")
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",")[1] ?? "")
      .toSorted();
  for (const table of ["categories", "territories"]) {
    const slugs = machine.query<{ slug: string }>(`SELECT slug FROM ${table}`);
    expect(slugs.map(({ slug }) => slug).toSorted()).toEqual(shipped(`${table}.csv`));
  }
});

test("a first start killed at any moment can be repeated, and then prints a key", async () => {
  const states = new Set<string>();
  // Longer and longer pauses, for slower machines, until it was killed in different states.
  for (let pauseMs = 0; states.size < 2 && pauseMs < 8_000; pauseMs = 2 * pauseMs + 15) {
    const server = await machine.serve(["start"]);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    process.kill(server.pid, "SIGKILL");
    await server.stop();
    states.add(JSON.stringify(countAll()));
  }
  // Some starts were killed before the sample was complete, or before the organization existed.
  expect(states.size).toBeGreaterThan(1);
  const server = await machine.serve(["start"]);
  await until(() => server.printed().includes("curl"));
  const key = /knl_rw_[0-9A-Za-z]{38}/.exec(server.printed())?.[0];
  expect((await server.get("/v1/me/", key)).status).toBe(200);
  expect(countAll()).toMatchObject({ organizations: 1, members: 1, channels: 9, posts: 732 });
  expect(await server.stop()).toBe(0);
});

test("a first start whose port is taken names the next free one in one line, and creates nothing", async () => {
  const other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const options = ["--port", String(other.port), "--db", machine.path("new/kanalog.db")];
  const environment = { KANALOG_BACKUP_DIR: machine.path("copies"), KANALOG_LOG_LEVEL: "info" };
  let free = 0;
  for (const words of [["start"], ["serve"], ["serve", "--workers", "2"]]) {
    const { exitCode, notes } = await machine.run([...words, ...options], { environment });
    expect(exitCode).toBe(1);
    const pattern =
      /^Cannot listen on 127\.0\.0\.1:\d+: another program uses it\. .* add --port (\d+)\.\n$/;
    free = Number(pattern.exec(notes)?.[1]);
    expect(free, notes).toBeGreaterThan(other.port);
    expect(machine.exists("new")).toBe(false);
    expect(machine.exists("copies")).toBe(false);
  }
  other.stop(true);
  const server = await machine.serve(["start", "--port", String(free)]);
  expect(new URL(server.address).port).toBe(String(free));
  await until(() => server.printed().includes("curl"));
  // The same if it is another appliance that uses it, so that no request goes astray.
  const { exitCode, notes } = await machine.run(["serve", "--port", String(free)]);
  expect(exitCode).toBe(1);
  expect(notes).toContain(`Cannot listen on 127.0.0.1:${free}`);
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`${signal} ends a serving process with exit code 0, whatever it is doing and whoever is connected`, async () => {
    const { key } = await machine.customer();
    const server = await machine.serve();
    // A client that never finishes its request does not keep the process alive.
    const { hostname, port } = new URL(server.address);
    const socket = await Bun.connect({ hostname, port: Number(port), socket: { data() {} } });
    socket.write("GET /healthz HTTP/1.1\r\nHo");
    socket.flush();
    const requests = Array.from({ length: 20 }, () => server.get("/v1/msgr/channels/", key));
    await requests[0];
    process.kill(server.pid, signal);
    const answers = await Promise.allSettled(requests);
    const answered = answers.flatMap((answer) =>
      answer.status === "fulfilled" ? [answer.value.status] : [],
    );
    expect(await server.stop()).toBe(0);
    // The database has all units that were answered, and no more than were requested.
    const used = machine.query<{ used: number }>("SELECT used FROM usage_periods")[0]?.used ?? 0;
    expect(used).toBeGreaterThanOrEqual(answered.filter((status) => status === 200).length);
    expect(used).toBeLessThanOrEqual(requests.length);
    socket.end();
  });
}

test("of two concurrent first starts one creates the organization, and both serve it with a key", async () => {
  const servers = await Promise.all([machine.serve(["start"]), machine.serve(["start"])]);
  for (const server of servers) await until(() => server.printed().includes("curl"));
  const keys = servers.flatMap((server) => /knl_rw_[0-9A-Za-z]{38}/.exec(server.printed()) ?? []);
  expect(keys).toHaveLength(2);
  for (const server of servers) {
    for (const key of keys) expect((await server.get("/v1/me/", key)).status).toBe(200);
  }
  expect(countAll()).toMatchObject({ organizations: 1, members: 1, channels: 9 });
});
