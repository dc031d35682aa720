import { writeFileSync } from "node:fs";
import BetterSqlite3 from "better-sqlite3";
import { hashKeyToken } from "../../src/customers/keys/key-token.ts";
import { MIGRATIONS } from "../../src/db/migrate.ts";
import { IN_MEMORY } from "../../src/db/open-database.ts";
import { foldText } from "../../src/values/fold-text.ts";

/** A read-only key of the organization in every old database. */
export const OLD_KEY = `knl_ro_${"0".repeat(32)}4NO97a`;

/** Rows for every table, by the schema version that added the table. */
const ROWS: Record<number, string> = {
  1: `
    INSERT INTO meta VALUES ('directories_loaded', x'31');
    INSERT INTO categories VALUES (1, 'news', 'Новости', 'news.webp', 0, 2), (2, 'auto', 'Авто', NULL, 1, 0);
    INSERT INTO category_images VALUES ('news.webp', x'52494646');
    INSERT INTO territories VALUES (1, 'russia', 'Россия', 'country', NULL, 'russia', 0, 2, 0),
      (2, 'moskva', 'Москва', 'city', 'russia', 'russia/moskva', 1, 1, 0);
    INSERT INTO channels VALUES
      (1, 'channel', 1, 100, 8.5, NULL, 1700000000000, 'утренние новости' || char(10) || 'utro' || char(10)),
      (2, 'chat', 1, 50, NULL, 3.5, NULL, 'вечерний чат' || char(10) || char(10)),
      (3, 'channel', 0, 10, NULL, NULL, NULL, 'скрытый канал' || char(10) || 'hidden' || char(10));
    INSERT INTO channel_cards VALUES
      (1, -1001, 'utro', 'Утренние новости', 'О городе', 'https://t.me/utro', NULL, 'news', 'auto', 'moskva', 1, 0),
      (2, NULL, NULL, 'Вечерний чат', NULL, NULL, NULL, 'news', '', 'russia', 0, 1),
      (3, NULL, 'hidden', 'Скрытый канал', NULL, NULL, NULL, NULL, '', NULL, 0, 0);
    INSERT INTO daily_statistics VALUES (1, 20000, 99, 500, 3), (1, 20001, 100, 700, 2);
    INSERT INTO posts VALUES (1, 1, 11, 1700000000000, 0, 250, 1700000001000, NULL, 'Доброе утро'),
      (2, 1, 12, 1700000060000, 1, 10, 1700000061000, 'https://t.me/utro/12', 'Реклама');
    UPDATE plans SET requests_per_second = 1000 WHERE code = 'profi';
    INSERT INTO organizations VALUES (1, 'Acme', 'profi', 1793480400000, NULL, 1690000000000, NULL),
      (2, 'Archived', 'test', 1690000000000, NULL, 1690000000000, 1695000000000);
    INSERT INTO members VALUES (1, 1, 'ada@example.com', 'Ada', 'owner', 1690000000000, NULL);
    INSERT INTO keys VALUES
      (1, 1, 'first', 'knl_ro_0000', x'${Buffer.from(hashKeyToken(OLD_KEY), "base64").toString("hex")}', 'read_only', 1690000000000, NULL, NULL, NULL);
    INSERT INTO usage_periods VALUES (1, 1793480400000, 41);
    INSERT INTO usage_days VALUES (1, 20767, 'channels_list', 1, 200, 41, 41);
    INSERT INTO jobs VALUES ('recount', 1760000000000, 1760000000000, 1760000001000, NULL);`,
  2: `
    INSERT INTO webhooks (id, organization_id, url, secret, disabled_reason, since_sequence, last_error,
      created_at, updated_at) VALUES (1, 1, 'https://example.com/hook', x'00', 'customer', 0, 'status 500',
      1700000000000, 1700000000000);
    INSERT INTO webhook_channels VALUES (1, 1, 1, 0), (2, 1, 0, 0);
    INSERT INTO read_posts VALUES (1, 1);
    INSERT INTO webhook_deliveries (id, webhook_id, event, posts, created_at, state)
      VALUES (1, 1, 'post.created', '[2]', 1763000000000, 'delivered');
    INSERT INTO webhook_bodies VALUES (1, '{"posts":[]}');
    INSERT INTO webhook_attempts VALUES (1, 1, 1763000000000, 204, '', 12);
    INSERT INTO mails (id, recipients, subject, text, created_at, next_attempt_at)
      VALUES (1, '["ada@example.com"]', 'Hello', 'Text', 1763000000000, 1763000000000);`,
  3: `
    INSERT INTO people VALUES ('p1', 'Ada', 'ada@example.com', 1, 0, NULL, 1, '2025-01-01', '2025-01-01');
    INSERT INTO sessions VALUES ('s1', 't1', 'p1', '2099-01-01', NULL, NULL, '2025-01-01', '2025-01-01');
    INSERT INTO credentials (id, account_id, provider_id, person_id, created_at, updated_at)
      VALUES ('c1', 'p1', 'credential', 'p1', '2025-01-01', '2025-01-01');
    INSERT INTO verifications VALUES ('v1', 'i', 'p1', '2099-01-01', '2025-01-01', '2025-01-01');
    INSERT INTO audit_log VALUES (1, 1763000000000, 'ada@example.com', 1, 'key.create', 'key 1', '{}');
    INSERT INTO import_runs VALUES (1, 'posts', 'a.csv', 'ada@example.com', 'done', 1, 2, '{}', '[]', NULL);`,
  5: "INSERT INTO search_trigrams VALUES ('нов', 900);",
  7: `
    INSERT INTO webhook_lists VALUES (1, '[2,1]') ON CONFLICT DO NOTHING;
    INSERT INTO manual_attempts VALUES (1, 'example.com', 1763000000000);
    INSERT INTO known_networks VALUES ('p1', x'00', 1763000000000);`,
  10: `
    INSERT INTO former_handles VALUES (1, 1, 'utro_old', 1763000000000);
    UPDATE channel_cards SET former_handles = 'utro_old' WHERE id = 1;
    UPDATE public_cards SET json = replace(json, '"former_handles":[]', '"former_handles":["utro_old"]')
      WHERE id = 1;
    INSERT INTO removed_channels VALUES (4, 1, 1763000000000, 1);`,
  11: `
    INSERT INTO post_tombstones VALUES (9, 1, 9223372036854775807, 1763000000000);
    INSERT INTO changed_days VALUES (1, 20000);`,
  12: `
    INSERT INTO oauth_clients VALUES (1, 'c1', 'Assistant', '["https://a.example/back"]', 1763000000000);
    INSERT INTO oauth_grants VALUES (1, 1, 'a.example');
    INSERT INTO oauth_codes VALUES (x'01', 1, 1, 'https://a.example/back', 'c', 1763000060000, 1763000001000, 1);
    INSERT INTO oauth_tokens VALUES (x'02', 1, 'refresh', 1765000000000, NULL);`,
  13: `
    INSERT INTO sample_channels VALUES (1, 'utro', 'Утренние новости', 100);
    INSERT INTO request_log VALUES (1, 1, 1763000000000, 'GET', '/v1/me/', 200, 900, 0);
    INSERT INTO hours VALUES (1763000000000, 3, 0, 900, 500, 4096);
    INSERT INTO quota_mails VALUES (1, 1793480400000, 80);`,
  14: `
    INSERT INTO sources (name, kind, settings, schedule, created_at)
      VALUES ('files', 'pull', '{"kind":"pull","url":"https://files.example.com/"}', '15m', 1763000000000);
    INSERT INTO source_days VALUES (1, 20400, 7);
    INSERT INTO source_files VALUES (1, 'a.csv', 10, 1763000000000);`,
  15: `
    INSERT INTO sources (name, kind, settings, secret, schedule, created_at) VALUES
      ('@bot', 'telegram', '{"kind":"telegram","api":"https://api.telegram.org","bot":"@bot"}', x'00', '1m', 1763000000000);
    INSERT INTO source_chats VALUES (2, '-1001234567890', 'Утренние новости', 'utro', 1, 1763000000000, NULL);
    INSERT INTO source_album_parts VALUES (2, '-1001234567890', 5, '77', 5, 'Доброе утро', 'photo');`,
  16: `
    INSERT INTO post_search (rowid, tokens) VALUES (472222 * 4194304, 'добр утр');
    INSERT INTO searched_posts VALUES (472222 * 4194304, 1, 1, 1700000000000, 250, 2);
    INSERT INTO post_search_stems VALUES ('добр', 1), ('утр', 1);
    INSERT INTO post_search_stale VALUES (1, -9007199254740991, 0);`,
  17: `
    INSERT INTO channel_metrics VALUES (0, 1, 0, 0, 1, 7, 30, 70, 300, 4, 1, 50, 5000, 20000);
    INSERT INTO metric_orders VALUES (0, 1, 0, 7, 1);
    INSERT INTO stale_orders VALUES (1, 2);`,
  18: `
    INSERT INTO mentions VALUES ('utro', 1700000000000, 1, 1, 1);
    INSERT INTO background_builds VALUES ('mentions', 1, 2)
      ON CONFLICT DO UPDATE SET after_id = 1;`,
  19: `
    INSERT INTO sign_ups VALUES (x'0102', 'new@example.com', 1763000000000);
    INSERT INTO hour_durations VALUES (1763000400000, 42, 7);`,
  21: `
    INSERT INTO alerts (organization_id, webhook_id, name, q, since_sequence, created_at, updated_at)
      VALUES (1, 1, 'City', 'город', 0, 1763000000000, 1763000000000);
    INSERT INTO alert_posts VALUES (1, 1);`,
  22: "INSERT INTO last_post_order VALUES (0, 1700000000000 >> 20, 1, 1700000000000);",
  24: "INSERT INTO cluster_copy VALUES ('5f0c2a7e-0000-4000-8000-000000000000', 7, '12', 0, '5f0c2a7e-0000-4000-8000-000000000001');",
  28: `
    INSERT INTO oauth_grants VALUES (1, x'03', 'a.example');
    INSERT INTO oauth_codes VALUES (x'01', x'03', 'Assistant', 1, 'https://a.example/back', 'c', 1763000060000, 1763000001000, 1);
    INSERT INTO oauth_tokens VALUES (x'02', 1, 'refresh', 1765000000000, NULL);`,
  30: "INSERT INTO changing_lists VALUES (1, '[2,1]');",
  31: `
    INSERT INTO operator_keys VALUES (1, 'billing', 'knl_op_0000', x'05', '["read"]', 1763000000000, NULL, NULL);
    INSERT INTO operator_requests VALUES (1, 'k', 'r', 1763000000000, 1, 201, x'06');`,
};

/** Writes a database as the program of a schema version left it, with rows in every table. */
export function makeOldDatabase(path: string, version: number): void {
  oldDatabases ??= growDatabases();
  writeFileSync(path, oldDatabases[version - 1] as Buffer);
  const db = new BetterSqlite3(path);
  db.pragma("journal_mode = WAL");
  db.close();
}

/** File contents by schema version, starting with 1; created once per process. */
let oldDatabases: Buffer[] | null = null;

function growDatabases(): Buffer[] {
  const db = new BetterSqlite3(IN_MEMORY);
  db.function("fold_text", (given) => foldText(String(given)));
  // As in migrations: rebuilding a table would otherwise delete rows that refer to it.
  db.pragma("foreign_keys = OFF");
  const grown = MIGRATIONS.map((sql, index) => {
    db.exec(sql);
    db.exec(ROWS[index + 1] ?? "");
    db.pragma(`user_version = ${index + 1}`);
    return db.serialize();
  });
  db.close();
  return grown;
}

export type Rows = Record<string, unknown>[];

/** All rows by table; only with certain columns, if given. */
export function rowsOf(path: string, columns?: ReadonlyMap<string, string[]>): Map<string, Rows> {
  const db = new BetterSqlite3(path, { readonly: true });
  try {
    const tables = columns ? [...columns.keys()] : tableNames(db);
    return new Map(
      tables.map((table) => {
        const selected = columns?.get(table)?.join(", ") ?? "*";
        const rows = db.prepare(`SELECT ${selected} FROM ${table}`).all() as Rows;
        return [table, rows.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))];
      }),
    );
  } finally {
    db.close();
  }
}

/** Columns by table that a later migration moved elsewhere. */
const MOVED: Record<string, readonly string[]> = {
  webhook_channels: ["position"],
  channels: ["search_text", "place"],
  // Values that change daily are in `channels`.
  public_cards: ["json"],
};

/** Columns by table, without those that a later migration moved. */
export function columnsOf(rows: ReadonlyMap<string, Rows>): Map<string, string[]> {
  return new Map(
    [...rows].map(([table, [first]]) => [
      table,
      Object.keys(first ?? {}).filter((column) => MOVED[table]?.includes(column) !== true),
    ]),
  );
}

/** The rows with only certain columns, in the given order. */
export function withColumns(
  rows: ReadonlyMap<string, Rows>,
  columns: ReadonlyMap<string, string[]>,
): Map<string, Rows> {
  return new Map(
    [...rows].map(([table, all]) => [
      table,
      all.map((row) =>
        Object.fromEntries((columns.get(table) ?? []).map((name) => [name, row[name]])),
      ),
    ]),
  );
}

/** All tables except those of search indexes and of SQLite itself. */
function tableNames(db: BetterSqlite3.Database): string[] {
  const named = db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'channel_search%'",
    )
    .all() as { name: string }[];
  return named
    .map(({ name }) => name)
    .filter((name) => !/^sqlite_|^post_search(_data|_idx|_docsize|_config)?$/.test(name));
}
