import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import pg from "pg";
import { openDatabase } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { contentOf } from "../support/cluster.ts";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { hasPostgres, newPostgresDatabase } from "../support/postgres.ts";
import { openPostgresLine } from "../support/postgres-line.ts";
import { until } from "../support/until.ts";
import { PASSWORD, remoteVisitor } from "../support/visitor.ts";

/** From one file to a cluster and back with the commands, over real files. */

const SECRET = "the secret of the first appliance and its cluster";

let machine: Machine;
let url: string;
let key: string;
let member: number;

beforeEach(async () => {
  if (!hasPostgres) return;
  machine = createMachine();
  url = await newPostgresDatabase();
  machine.write("channels.csv", "id,title,subscribers\n1,Птицы,10\n2,Рыбы,20\n");
  await ok(["import", "channels", machine.path("channels.csv")], { KANALOG_CLUSTER: "" });
  ({ key, member } = await machine.customer());
});
afterEach(() => machine?.leave());

const settings = (more: Record<string, string> = {}) => ({
  ...{ KANALOG_CLUSTER: url, KANALOG_NODE: "a", KANALOG_SECRET: SECRET },
  ...more,
});

async function ok(words: string[], environment: Record<string, string>): Promise<string> {
  const { exitCode, out, notes } = await machine.run(words, {
    environment: withoutEmpty(environment),
  });
  expect(exitCode, `${words.join(" ")}: ${notes}`).toBe(0);
  return out;
}

async function refused(words: string[], environment: Record<string, string>): Promise<string> {
  const { exitCode, notes } = await machine.run(words, { environment: withoutEmpty(environment) });
  expect(exitCode, words.join(" ")).not.toBe(0);
  return notes;
}

function withoutEmpty(environment: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
}

/** @returns the cookies of a person who has signed in */
async function signIn({ address }: Serving): Promise<string> {
  await machine.run(["member", "password", String(member), "--stdin"], { stdin: `${PASSWORD}\n` });
  const visitor = remoteVisitor(address);
  await visitor.signIn("ada@example.com");
  return [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
}

async function isSignedIn({ address }: Serving, cookie: string): Promise<boolean> {
  const page = await fetch(`${address}/account/`, { headers: { cookie }, redirect: "manual" });
  return page.status === 200;
}

async function writingKey(): Promise<string> {
  const words = ["key", "create", "--member", String(member), "--write", "--json"];
  return JSON.parse(await ok(words, { KANALOG_SECRET: SECRET })).key;
}

async function addWebhook({ address }: Serving, key: string): Promise<void> {
  const body = JSON.stringify({ url: "https://127.0.0.1:9443/hook", channels: [1] });
  const made = await fetch(`${address}/v1/msgr/webhooks/`, {
    ...{ method: "POST", body },
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  });
  expect(made.status, await made.text()).toBe(201);
}

async function inPostgres(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

const init = () => ok(["cluster", "init", "--from", machine.database], settings());
const second = () => settings({ KANALOG_NODE: "b", KANALOG_DB: machine.path("b.db") });

describe.skipIf(!hasPostgres)("a file becomes a cluster", () => {
  test("whose nodes serve its catalog and keys and continue its usage, and which becomes one file again", async () => {
    const alone = await machine.serve(["serve"], {
      environment: { KANALOG_SECRET: SECRET, KANALOG_WEBHOOK_ALLOW: "127.0.0.0/8" },
    });
    const session = await signIn(alone);
    await addWebhook(alone, await writingKey());
    for (let time = 0; time < 3; time++) {
      expect((await alone.get("/v1/msgr/channels/1/", key)).status).toBe(200);
    }
    const page = await (await alone.get("/v1/msgr/channels/?limit=1", key)).json();
    await alone.stop();
    await init();
    await ok(["cluster", "join"], second());
    const nodes = [
      await machine.serve(["serve"], { environment: settings() }),
      await machine.serve(["serve"], { environment: second() }),
    ];
    const next = new URL((page as { next: string }).next);
    for (const node of nodes) {
      expect(await isSignedIn(node, session)).toBe(true);
      expect((await node.get("/v1/msgr/channels/2/", key)).status).toBe(200);
      // A cursor of the standalone file still works.
      expect((await node.get(next.pathname + next.search, key)).status).toBe(200);
    }
    // Each node reports itself every second.
    let listed: string[] = [];
    for (let looks = 0; listed.length < 2 && looks < 200; looks++) {
      const list = JSON.parse(await ok(["cluster", "status", "--json"], settings()));
      listed = list.results.map(({ node }: { node: string }) => node);
    }
    expect(listed).toEqual(["a", "b"]);
    for (const node of nodes) expect(await node.stop()).toBe(0);

    const file = machine.path("left.db");
    const leaving = await machine.run(["cluster", "leave", "--to", file], {
      environment: settings(),
    });
    expect(leaving).toMatchObject({
      exitCode: 0,
      notes: expect.stringContaining("The cluster continues without this file"),
    });
    const list = JSON.parse(await ok(["cluster", "status", "--json"], settings()));
    expect(list.results.map(({ node }: { node: string }) => node)).toEqual(["a", "b"]);
    const left = await machine.serve(["serve"], {
      environment: { KANALOG_DB: file, KANALOG_SECRET: SECRET },
    });
    const { usage } = (await (await left.get("/v1/me/", key)).json()) as {
      usage: { used: number };
    };
    expect(usage.used).toBe(8);
    expect((await left.get("/v1/msgr/channels/1/", key)).status).toBe(200);
    expect((await left.get(next.pathname + next.search, key)).status).toBe(200);
    expect(await isSignedIn(left, session)).toBe(true);
    await left.stop();
    // A start is refused if it cannot read the webhooks' signing secrets, as with another secret.
    const other = { KANALOG_DB: file, KANALOG_SECRET: `${SECRET}!` };
    expect(await refused(["serve"], other)).toContain("were not encrypted with");
    await ok(["check"], { KANALOG_DB: file });
    await ok(["check"], settings());
  });

  test("a copy is rebuilt, and the previous one is kept", async () => {
    await init();
    await ok(["cluster", "join"], second());
    const rebuilt = JSON.parse(await ok(["cluster", "rebuild", "--json"], second()));
    expect(machine.exists(rebuilt.kept_as.slice(machine.folder.length + 1))).toBe(true);
    await ok(["check"], second());
  });

  test("a node joins from a backup of another node's file, and copies only what that lacks", async () => {
    await init();
    const backup = machine.path("backup.db");
    await ok(["backup", backup], settings());
    await ok(["backup", "--to", "copies"], settings());
    await ok(["org", "create", "--name", "After the backup", "--plan", "profi"], settings());
    // As if the rows of the backup were gone: a copy without it would lack them.
    await inPostgres(`DELETE FROM kanalog.rows WHERE "table" = 'channel_texts'`);
    expect(await refused(["cluster", "join", "--from", "."], second())).toContain("of 0 databases");
    await ok(["cluster", "join", "--from", "copies"], second());
    await ok(["check"], second());
    const copies = [machine.database, machine.path("b.db")].map((path) => {
      const db = openDatabase(path, systemClock);
      const content = contentOf(db);
      const ids = db.prepare<{ copy_id: string }>("SELECT copy_id FROM cluster_copy").all();
      const titles = db.prepare("SELECT title FROM channel_cards").all();
      db.close();
      return { content, ids, titles };
    });
    expect(copies[1]?.content).toEqual(copies[0]?.content as Map<string, string[]>);
    expect(copies[1]?.ids).not.toEqual(copies[0]?.ids);
    expect(copies[1]?.titles).toHaveLength(2);

    const anew = { ...second(), KANALOG_DB: machine.path("anew.db"), KANALOG_NODE: "c" };
    const alone = machine.path("alone.db");
    await ok(["cluster", "leave", "--to", alone], settings());
    expect(await refused(["cluster", "join", "--from", alone], anew)).toContain("is not a copy");
    await inPostgres("UPDATE kanalog.commits SET mark = gen_random_uuid()");
    const later = { ...anew, KANALOG_NODE: "d" };
    expect(await refused(["cluster", "join", "--from", backup], later)).toContain("does not have");
    expect(machine.exists("anew.db")).toBe(false);
    expect(machine.exists("anew.db.copying")).toBe(false);
  });

  test("a join that is killed is started again", async () => {
    await init();
    const line = await openPostgresLine(url);
    const environment = { ...second(), KANALOG_CLUSTER: line.url };
    const joining = machine.spawn(["cluster", "join"], { environment });
    await until(() => machine.exists("b.db.copying"), "the beginning of the copy");
    joining.kill("SIGKILL");
    await joining.exited;
    await line.close();
    await inPostgres("UPDATE kanalog.nodes SET seen_at = now() - interval '11 seconds'");
    await ok(["cluster", "join"], second());
    await ok(["check"], second());
  });

  test("a node that has joined is listed with its copy's version before it serves", async () => {
    await init();
    const { version } = JSON.parse(await ok(["cluster", "join", "--json"], second()));
    const list = JSON.parse(await ok(["cluster", "status", "--json"], settings()));
    expect(list.results).toMatchObject([{ node: "b", version, program: "joined", behind: 0 }]);
    await ok(["org", "create", "--name", "Next", "--plan", "profi"], settings());
    const later = JSON.parse(await ok(["cluster", "status", "--json"], settings()));
    expect(later.results).toMatchObject([{ node: "b", version, behind: 1 }]);
  });

  test("a node that joins knows when each key was last used before there was a cluster", async () => {
    const usedAt = 1_790_000_000_000;
    const file = machine.open();
    file.exec(`UPDATE keys SET last_used_at = ${usedAt}`);
    file.close();
    await init();
    await ok(["cluster", "join"], second());
    const joined = openDatabase(machine.path("b.db"), systemClock);
    expect(joined.prepare("SELECT last_used_at FROM keys").all()).toEqual([
      { last_used_at: usedAt },
    ]);
    joined.close();
  });

  test("a node whose disk is lost joins again under its name once it has been silent for ten seconds", async () => {
    await init();
    await ok(["cluster", "join"], second());
    const anew = { ...second(), KANALOG_DB: machine.path("anew.db") };
    expect(await refused(["cluster", "join"], anew)).toContain("Another node named b");
    await inPostgres("UPDATE kanalog.nodes SET seen_at = now() - interval '11 seconds'");
    await ok(["cluster", "join"], anew);
  });

  test("an import that waits for all nodes names those that are silent", async () => {
    await init();
    await ok(["cluster", "join"], second());
    await inPostgres("UPDATE kanalog.nodes SET seen_at = now() - interval '1 minute'");
    const { exitCode, notes } = await machine.run(
      ["import", "channels", machine.path("channels.csv"), "--wait"],
      { environment: settings() },
    );
    expect(exitCode).toBe(0);
    expect(notes).toContain("Silent nodes were not waited for: b.");
    await ok(["cluster", "forget", "b"], settings());
    expect(await ok(["cluster", "status"], settings())).not.toContain("joined");
    expect(await refused(["cluster", "forget", "b"], settings())).toContain("no node named b");
  });

  test("commands leave nothing half done if PostgreSQL is lost in between", async () => {
    const line = await openPostgresLine(url);
    line.cut();
    const notes = await refused(
      ["cluster", "init", "--from", machine.database],
      settings({ KANALOG_CLUSTER: line.url }),
    );
    expect(notes).not.toBe("");
    await line.close();
    await init();
  });
});

describe.skipIf(!hasPostgres)("is refused with what to do", () => {
  test("a second init, a join over a file, and commands without a cluster", async () => {
    expect(await refused(["cluster", "join"], second())).toContain("kanalog cluster init --from");
    expect(await refused(["cluster", "status"], settings())).toContain("There is no cluster");
    const file = machine.path("another.db");
    await ok(["import", "channels", machine.path("channels.csv")], { KANALOG_DB: file });
    await init();
    expect(await refused(["cluster", "init", "--from", file], settings())).toContain(
      "There is already a cluster at KANALOG_CLUSTER.",
    );
    expect(await refused(["cluster", "init", "--from", machine.database], settings())).toContain(
      "The file is already a copy of a cluster.",
    );
    expect(await refused(["cluster", "join"], settings())).toContain("already exists");
    expect(await refused(["cluster", "join"], { ...second(), KANALOG_CLUSTER: "" })).toContain(
      "Set KANALOG_CLUSTER",
    );
  });

  test("a second node with the name of a running one", async () => {
    await init();
    const first = await machine.serve(["serve"], { environment: settings() });
    const same = settings({ KANALOG_DB: machine.path("b.db") });
    const refusal = "Another node named a ran within the last 10 seconds";
    expect(await refused(["cluster", "forget", "a"], settings())).toContain(
      "a ran within the last",
    );
    expect(await refused(["cluster", "join"], same)).toContain(refusal);
    await ok(["cluster", "join"], second());
    expect(await refused(["serve"], { ...second(), KANALOG_NODE: "a" })).toContain(refusal);
    // The first one may restart at once, however it ended.
    process.kill(first.pid, "SIGKILL");
    const again = await machine.serve(["serve"], { environment: settings() });
    expect(await again.stop()).toBe(0);
  });

  test("a PostgreSQL that is unreachable, read-only, or has another schema of this name", async () => {
    const line = await openPostgresLine(url);
    line.cut();
    const away = await refused(["cluster", "status"], settings({ KANALOG_CLUSTER: line.url }));
    expect(away).toContain("PostgreSQL of KANALOG_CLUSTER: ");
    await line.close();
    await inPostgres("CREATE SCHEMA kanalog");
    expect(await refused(["cluster", "init", "--from", machine.database], settings())).toContain(
      "a schema named kanalog that does not belong to a cluster",
    );
    await inPostgres("DROP SCHEMA kanalog");
    await init();
    const name = new URL(url).pathname.slice(1);
    await inPostgres(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const notes = await refused(["org", "create", "--name", "A", "--plan", "profi"], settings());
    expect(notes).toContain("it takes no writes (default_transaction_read_only is on)");
  });

  test("a file that a process uses, and one that does not exist, which is not created", async () => {
    const alone = await machine.serve(["serve"], { environment: { KANALOG_SECRET: SECRET } });
    expect(await init()).toContain("created  false");
    expect(await refused(["cluster", "join"], second())).toContain("There is no cluster");
    expect((await alone.get("/v1/msgr/channels/1/", key)).status).toBe(200);
    await alone.stop();
    await init();
    const node = await machine.serve(["serve"], { environment: settings() });
    expect(await refused(["cluster", "rebuild"], settings())).toContain("Another process uses");
    await node.stop();
    // In a separate process: within this one, commands get a prepared file if there is none.
    const { exitCode, notes } = await machine.runProgram(["org", "list"], {
      environment: second(),
    });
    expect(exitCode).toBe(1);
    expect(notes).toContain("kanalog cluster join");
    await ok(["cluster", "join"], second());
  });

  test("restoring the backup of a copy, which says what it is", async () => {
    await init();
    const { exitCode, notes } = await machine.run(["backup", machine.path("copy.db")], {
      environment: settings(),
    });
    expect(exitCode).toBe(0);
    expect(notes).toContain("This is a node's copy");
    expect(await refused(["restore", machine.path("copy.db")], settings())).toContain(
      "kanalog cluster rebuild",
    );
  });

  test("a program that is older than the cluster's schema", async () => {
    await init();
    await inPostgres("UPDATE kanalog.state SET schema_version = 999");
    for (const words of [["org", "list"], ["serve"], ["cluster", "join"]]) {
      const environment = words[0] === "cluster" ? second() : settings();
      expect(await refused(words, environment)).toContain("999");
    }
  });

  test("a missing secret, and a wrong one", async () => {
    expect(
      await refused(
        ["cluster", "init", "--from", machine.database],
        settings({ KANALOG_SECRET: "" }),
      ),
    ).toContain("Set KANALOG_SECRET");
    await init();
    const other = { KANALOG_SECRET: "another secret, as long as it has to be" };
    expect(await refused(["cluster", "join"], { ...second(), ...other })).toContain(
      "KANALOG_SECRET differs",
    );
    expect(await refused(["org", "list"], settings(other))).toContain("KANALOG_SECRET differs");
  });

  test("an unreachable PostgreSQL, naming it and the reason", async () => {
    const gone = { KANALOG_CLUSTER: "postgres://kanalog@127.0.0.1:1/kanalog" };
    const notes = await refused(["cluster", "status"], settings(gone));
    expect(notes).toContain("PostgreSQL of KANALOG_CLUSTER: ");
    expect(notes).toContain("127.0.0.1:1 (see that it runs there");
  });

  test("a copy without its cluster, a file that is not a copy, and the copy of another cluster", async () => {
    machine.write("alone.db", new Uint8Array(await Bun.file(machine.database).arrayBuffer()));
    await init();
    expect(await refused(["org", "list"], {})).toContain("set KANALOG_CLUSTER");
    const alone = settings({ KANALOG_DB: machine.path("new.db") });
    expect(await refused(["org", "list"], alone)).toContain("kanalog cluster join");
    const elsewhere = await newPostgresDatabase();
    const there = settings({ KANALOG_CLUSTER: elsewhere, KANALOG_DB: machine.path("second.db") });
    await ok(["import", "channels", machine.path("channels.csv")], {
      KANALOG_DB: machine.path("second.db"),
    });
    await ok(["cluster", "init", "--from", machine.path("second.db")], there);
    expect(await refused(["org", "list"], settings({ KANALOG_CLUSTER: elsewhere }))).toContain(
      "set the address of its own cluster, or create a copy",
    );
  });
});

describe.skipIf(!hasPostgres)("a process of a node that is killed", () => {
  test("between PostgreSQL's commit and its own loses nothing", async () => {
    await init();
    const line = await openPostgresLine(url);
    const making = machine.spawn(["org", "create", "--name", "Kept", "--plan", "profi"], {
      environment: settings({ KANALOG_CLUSTER: line.url }),
    });
    line.loseNextCommit(() => making.kill("SIGKILL"));
    await making.exited;
    expect(making.signalCode, await making.stderr.text()).toBe("SIGKILL");
    line.mend();
    // The copy gets the lost commit with the next change.
    await ok(["org", "create", "--name", "Next", "--plan", "profi"], settings());
    const list = JSON.parse(await ok(["org", "list", "--json"], settings()));
    const names = list.results.map(({ name }: { name: string }) => name);
    expect(names.slice(-2)).toEqual(["Kept", "Next"]);
    await ok(["check"], settings());
    await line.close();
  });
});
