import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import BetterSqlite3 from "better-sqlite3";
import { openCurrent } from "../../src/app/domains.ts";
import { readConfig } from "../../src/config.ts";
import { isKeyToken } from "../../src/customers/keys/key-token.ts";
import { MIGRATIONS, migrate, SCHEMA_VERSION } from "../../src/db/migrate.ts";
import { openDatabase, openInMemory } from "../../src/db/open-database.ts";
import { checkDatabase } from "../../src/upkeep/checks/check.ts";
import { startAppliance } from "../support/appliance.ts";
import { fakePorts } from "../support/fake-ports.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import {
  columnsOf,
  makeOldDatabase,
  OLD_KEY,
  rowsOf,
  withColumns,
} from "../support/old-databases.ts";

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

const snapshots = (): string[] =>
  readdirSync(machine.folder).filter((name) => name.startsWith("kanalog.db.before-schema-"));

const versionOf = (path: string): unknown => {
  const db = new BetterSqlite3(path, { readonly: true });
  const version = db.pragma("user_version", { simple: true });
  db.close();
  return version;
};

/** Opens the upgraded database in memory, so that its appliance starts no threads. */
const openCopy: typeof openCurrent = async (_config, { clock }) => {
  copyFileSync(machine.database, machine.path("copy.db"));
  const file = new BetterSqlite3(machine.path("copy.db"));
  file.pragma("journal_mode = DELETE");
  file.close();
  return openInMemory(readFileSync(machine.path("copy.db")), clock);
};

/** Checks what the appliance answers customers about data written by the old program. */
async function answers(onFile: boolean): Promise<void> {
  const secret = { KANALOG_SECRET: "a secret text of at least thirty-two characters" };
  const appliance = onFile
    ? await startAppliance({ ...secret, KANALOG_DB: machine.database })
    : await startAppliance(secret, fakePorts(), { open: openCopy });
  try {
    const found = await appliance.get("/v1/msgr/channels/?q=УТРЕННИЕ", OLD_KEY);
    expect(found.body.results).toMatchObject([{ id: 1, handle: "utro", category: "news" }]);
    const latest = "/v1/msgr/channels/?ordering=-last_post_at";
    const { results } = (await appliance.get(latest, OLD_KEY)).body;
    expect(results).toMatchObject([{ id: 1 }]);
    const posts = await appliance.get("/v1/msgr/channels/utro/posts/", OLD_KEY);
    // Views that were shown are still shown, as read when the post was.
    expect(posts.body.results).toMatchObject([
      { id: 2, views: 10, views_at: "2023-11-15T01:14:21+03:00" },
      { id: 1, views: 250, views_at: "2023-11-15T01:13:21+03:00" },
    ]);
    const search = "/v1/msgr/posts/search/?q=утра";
    expect((await appliance.get(search, OLD_KEY)).body).toEqual({
      code: "unavailable",
      detail:
        "The index of post search is being built (0 %). All else works meanwhile; retry later.",
    });
    const building = appliance.app.builds.list();
    expect(building).toContainEqual({ name: "post_search", percent: 0 });
    while (appliance.app.builds.list().length > 0) await appliance.app.builds.tick();
    expect((await appliance.get(latest, OLD_KEY)).body.results).toEqual(results);
    expect((await appliance.get(search, OLD_KEY)).body.results).toMatchObject([{ id: 1 }]);
    const days = "/v1/msgr/stats/daily/?channels=1&from=2024-10-01&to=2024-10-31";
    expect((await appliance.get(days, OLD_KEY)).body.results).toHaveLength(2);
    expect((await appliance.get("/v1/msgr/categories/", OLD_KEY)).body.results).toHaveLength(2);
    expect(appliance.app.domains.usage.used(1, Date.parse("2026-11-01T00:00:00+03:00"))).toBe(
      41 + 6,
    );
  } finally {
    await appliance.close();
  }
}

/** Upgrades the database. @returns the log's message about it */
async function upgrade(byProcess: boolean): Promise<string> {
  if (byProcess) {
    const environment = { KANALOG_LOG_LEVEL: "info" };
    const { exitCode, notes } = await machine.runProgram(["org", "list"], { environment });
    expect(exitCode).toBe(0);
    return notes;
  }
  const ports = fakePorts();
  (await openCurrent(readConfig({ KANALOG_DB: machine.database }), ports)).close();
  return JSON.stringify(ports.log.notices);
}

const CLUSTERS_SINCE = 24;
const COPY = "cluster_copy";

/** Makes the file standalone, because a node's copy would not start without its cluster. */
function leaveCluster(): void {
  const db = machine.open();
  db.exec(`DELETE FROM ${COPY}`);
  db.close();
}

test("a node's copy keeps its position in its cluster", async () => {
  makeOldDatabase(machine.database, CLUSTERS_SINCE);
  const copy = () => machine.query<object>(`SELECT * FROM ${COPY}`)[0];
  const before = copy();
  const db = openDatabase(machine.database, fakePorts().clock);
  await migrate(db, fakePorts().clock);
  db.close();
  expect(copy()).toEqual({ ...before, mark: null });
});

test("a post index with stems of an earlier version is rebuilt, and a word of two letters then finds older posts", async () => {
  makeOldDatabase(machine.database, 25);
  leaveCluster();
  const db = machine.open();
  db.exec(`
    UPDATE posts SET text = 'ИИ пишет новости' WHERE id = 1;
    INSERT INTO post_search (post_search) VALUES ('delete-all');
    INSERT INTO post_search (rowid, tokens) VALUES (472222 * 4194304, 'и пишет новост');
    DELETE FROM post_search_stale;
    UPDATE post_search_state SET phase = 'ready', after_id = 0`);
  db.close();
  const { clock } = fakePorts();
  const upgraded = openDatabase(machine.database, clock);
  await migrate(upgraded, clock);
  upgraded.close();
  const appliance = await startAppliance({}, fakePorts(), { open: openCopy });
  try {
    const path = `/v1/msgr/posts/search/?${new URLSearchParams({ q: "ИИ" })}`;
    expect((await appliance.get(path, OLD_KEY)).status).toBe(503);
    while (appliance.app.builds.list().length > 0) await appliance.app.builds.tick();
    expect((await appliance.get(path, OLD_KEY)).body.results).toMatchObject([{ id: 1 }]);
  } finally {
    await appliance.close();
  }
});

for (const version of MIGRATIONS.slice(1).keys()) {
  const from = version + 1;
  test(`a database of schema version ${from} is upgraded by the next start, row for row`, async () => {
    expect(isKeyToken(OLD_KEY)).toBe(true);
    makeOldDatabase(machine.database, from);
    if (from >= CLUSTERS_SINCE) leaveCluster();
    const before = rowsOf(machine.database);
    for (const [table, rows] of before) {
      if (table !== COPY) expect(rows.length, table).toBeGreaterThan(0);
    }

    // Once by a separate process and with threads: both cost far more than a migration.
    const isFirst = from === 1;
    const logged = await upgrade(isFirst);
    const [snapshot = ""] = snapshots();
    expect(snapshots()).toHaveLength(1);
    expect(logged).toContain(snapshot);
    expect(versionOf(machine.database)).toBe(SCHEMA_VERSION);
    const columns = columnsOf(before);
    // Rises when plans change, for example their number of alerts.
    columns.delete("accounts_version");
    columns.delete(COPY);
    // Version 28 stores no clients, and so knows none of their grants.
    for (const name of ["clients", "codes", "grants", "tokens"]) columns.delete(`oauth_${name}`);
    const remaining = new Map([...before].filter(([table]) => columns.has(table)));
    // Version 22 adds a build.
    const added = from < 22 ? [{ name: "last_post_order", after_id: 0, until_id: 3 }] : [];
    const builds = remaining.get("background_builds");
    if (builds !== undefined) remaining.set("background_builds", [...added, ...builds]);
    // Its stems are outdated, so it is cleared and rebuilt.
    const state = remaining.get("post_search_state");
    if (state !== undefined) {
      remaining.set("post_search_state", [{ ...state[0], phase: "clearing", after_id: 0 }]);
    }
    expect(rowsOf(machine.database, columns)).toEqual(withColumns(remaining, columns));
    if (before.has("webhooks")) {
      const lists = rowsOf(machine.database, new Map([["webhook_lists", ["channels"]]]));
      expect(lists.get("webhook_lists")).toEqual([{ channels: "[2,1]" }]);
    }

    if (from < 11) {
      // Existing days count as imported.
      const columns = new Map([["daily_statistics", ["views_given", "posts_given"]]]);
      expect(rowsOf(machine.database, columns).get("daily_statistics")).toEqual([
        { views_given: 1, posts_given: 1 },
        { views_given: 1, posts_given: 1 },
      ]);
    }
    expect(versionOf(machine.path(snapshot))).toBe(from);
    expect(statSync(machine.path(snapshot)).mode & 0o777).toBe(0o600);
    expect(rowsOf(machine.path(snapshot))).toEqual(before);

    await answers(isFirst);
    const faults: string[] = [];
    const db = openDatabase(machine.database, fakePorts().clock, "reader");
    checkDatabase(db, (result) => faults.push(...result.faults));
    db.close();
    expect(faults).toEqual([]);
  });
}

test("an upgrade converts Telegram's -100… form of messenger ids to the bare one, except for twins", async () => {
  makeOldDatabase(machine.database, 9);
  const db = machine.open();
  db.exec(`
    INSERT INTO channels (id, kind, is_public, subscribers) VALUES
      (11, 'channel', 0, 1), (12, 'channel', 0, 1), (13, 'channel', 0, 1), (14, 'channel', 0, 1);
    INSERT INTO channel_cards (id, msgr_id, title, categories, a_plus, verified) VALUES
      (11, -1001234567890, 'Marked', '', 0, 0), (12, -1000000000777, 'Twin', '', 0, 0),
      (13, 777, 'Bare', '', 0, 0), (14, -9223372036854775808, 'Other', '', 0, 0)`);
  db.close();
  expect((await machine.run(["org", "list"])).exitCode).toBe(0);
  const found = machine.query<{ id: number; msgr_id: string }>(
    "SELECT id, CAST(msgr_id AS TEXT) AS msgr_id FROM channel_cards WHERE id > 10 ORDER BY id",
  );
  expect(found.map(({ msgr_id }) => msgr_id)).toEqual([
    ...["1234567890", "-1000000000777", "777", "-9223372036854775808"],
  ]);
});

test("the rows for old databases fill every table of the present schema too", () => {
  makeOldDatabase(machine.database, SCHEMA_VERSION);
  for (const [table, rows] of rowsOf(machine.database)) {
    expect(rows.length, table).toBeGreaterThan(0);
  }
});

test("a snapshot is taken only before a migration, and the last two are kept", async () => {
  const { clock } = fakePorts();
  const start = async (): Promise<void> => {
    const db = openDatabase(machine.database, clock);
    await migrate(db, clock);
    db.close();
  };
  await start();
  await start();
  expect(snapshots()).toEqual([]);
  const foreign = "kanalog.db.before-schema-mine";
  machine.write(foreign, "precious");
  for (const day of [1, 2, 3]) {
    for (const end of ["", "-wal", "-shm"]) {
      writeFileSync(machine.database + end, "");
      truncateSync(machine.database + end);
    }
    makeOldDatabase(machine.database, 1);
    clock.set(`2026-12-0${day}T12:00:00+03:00`);
    await start();
  }
  expect(snapshots().sort()).toEqual([
    `kanalog.db.before-schema-${SCHEMA_VERSION}-2026-12-02T12-00-00`,
    `kanalog.db.before-schema-${SCHEMA_VERSION}-2026-12-03T12-00-00`,
    foreign,
  ]);
});

test("if the snapshot cannot be written, nothing is migrated and the error says so", async () => {
  makeOldDatabase(machine.database, 1);
  const { clock } = fakePorts();
  // A folder occupies the snapshot's name.
  const name = `${machine.database}.before-schema-${SCHEMA_VERSION}-2026-11-20T12-00-00`;
  mkdirSync(name);
  const db = openDatabase(machine.database, clock);
  await expect(migrate(db, clock)).rejects.toMatchObject({ detail: expect.stringContaining(name) });
  db.close();
  expect(versionOf(machine.database)).toBe(1);
});

test("a migration that fails leaves no snapshot, because the file is unchanged", async () => {
  makeOldDatabase(machine.database, 1);
  const { clock } = fakePorts();
  const db = openDatabase(machine.database, clock);
  db.exec("CREATE TABLE webhooks (theirs)");
  await expect(migrate(db, clock)).rejects.toThrow("already exists");
  db.close();
  expect(snapshots()).toEqual([]);
  expect(versionOf(machine.database)).toBe(1);
});
