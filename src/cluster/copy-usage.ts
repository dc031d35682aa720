import { type Database, statement, type Transaction } from "../db/database.ts";
import { inFileTransaction } from "../db/transaction.ts";
import type { Clock } from "../ports/clock.ts";
import { requireCluster } from "./link.ts";

/** Progress of a copy in the lanes: the number of the newest commit that it has of each. */
interface UsagePosition {
  /** The numbers of another server, or of another timeline, say nothing. */
  server: string;
  lanes: number[];
}

/** Commits of a lane to copy with one query. */
const COMMITS_PER_PAGE = 2_000;

/**
 * Queries of one look: a copy that lacks more, as after another server was put in PostgreSQL's place, gets it
 * in the next ones, because nothing but pages and headers waits for it.
 */
export const PAGES_PER_LOOK = 10;

/** SQL: for each lane, what the copy lacks: all of a lane whose number has gone back. */
const LANES = `
  WITH lanes AS (
    SELECT lane, since, least(since + ${COMMITS_PER_PAGE}, commits) AS until, commits
    FROM kanalog.lanes l
      LEFT JOIN unnest($2::bigint[]) WITH ORDINALITY AS copied (position, nth) ON nth = lane + 1
      CROSS JOIN LATERAL (
        SELECT CASE WHEN $1 = kanalog.server() AND position <= commits THEN position ELSE 0 END AS since
      ) s
  )`;

/** SQL: keys of a table's rows in what the copy lacks; each lane is looked up in the index by itself. */
const changedSql = (table: string, key: string): string => `
  SELECT DISTINCT ${key} FROM lanes l CROSS JOIN LATERAL (
    SELECT ${key} FROM kanalog.${table} c
    WHERE c.lane = l.lane AND c.changed > l.since AND c.changed <= l.until OFFSET 0
  ) c WHERE l.since < l.until`;

/** SQL: counts, summed over all lanes. The row without a table says up to where. */
const CHANGED_COUNTS = `${LANES}
  SELECT NULL AS "table", json_build_object(
    'server', kanalog.server(), 'lanes', json_agg(until ORDER BY lane)
  )::text AS row, bool_and(until = commits) AS "isWhole"
  FROM lanes
  UNION ALL
  SELECT 'usage_periods', json_build_array(c.organization_id, c.started_at, used)::text, NULL
  FROM (${changedSql("usage_periods", "organization_id, started_at")}) c CROSS JOIN LATERAL (
    SELECT sum(used) AS used FROM kanalog.usage_periods p
    WHERE p.organization_id = c.organization_id AND p.started_at = c.started_at
  ) summed
  UNION ALL
  SELECT 'usage_days',
    json_build_array(c.organization_id, c.day, c.method, c.key_id, c.status, requests, units)::text, NULL
  FROM (${changedSql("usage_days", "organization_id, day, method, key_id, status")}) c CROSS JOIN LATERAL (
    SELECT sum(requests) AS requests, sum(units) AS units FROM kanalog.usage_days d
    WHERE d.organization_id = c.organization_id AND d.day = c.day AND d.method = c.method
      AND d.key_id = c.key_id AND d.status = c.status
  ) summed`;

const CHANGED_KEYS = `${LANES}
  SELECT 'keys' AS "table", json_build_array(c.key_id, used_at)::text AS row
  FROM (${changedSql("key_uses", "key_id")}) c CROSS JOIN LATERAL (
    SELECT max(used_at) AS used_at FROM kanalog.key_uses u WHERE u.key_id = c.key_id
  ) latest`;

const WRITE = {
  usage_periods: `
    INSERT INTO usage_periods (organization_id, started_at, used)
    SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true
    ON CONFLICT (organization_id, started_at) DO UPDATE SET used = excluded.used`,
  usage_days: `
    INSERT INTO usage_days (organization_id, day, method, key_id, status, requests, units)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
    FROM json_each(?) WHERE true
    ON CONFLICT (organization_id, day, method, key_id, status)
    DO UPDATE SET requests = excluded.requests, units = excluded.units`,
  keys: `
    UPDATE keys SET last_used_at = given.value ->> 1
    FROM json_each(?) given WHERE keys.id = given.value ->> 0`,
};

interface ChangedUsage {
  table: keyof typeof WRITE | null;
  row: string;
  isWhole: boolean | null;
}

/**
 * Updates the file's usage to PostgreSQL's counts, for pages and the headers of free requests.
 * @param copyRows updates the shared rows. Called after usage is read and before key uses are: the row of a
 * key whose use precedes the first reading is in the file by then, and later uses are found again by the
 * next look
 * @param pagesMax how many queries for usage at most
 * @returns version of the shared rows
 */
export async function copyUsage(
  db: Database,
  clock: Clock,
  copyRows: () => Promise<number>,
  pagesMax = PAGES_PER_LOOK,
): Promise<number> {
  const { query } = requireCluster(db).authority;
  const before = usageCopied(db);
  const ask = (text: string, copied: string): Promise<ChangedUsage[]> => {
    const { server = "", lanes = [] }: Partial<UsagePosition> = JSON.parse(copied);
    return query<ChangedUsage>({ text, values: [server, lanes] });
  };
  const begins: string[] = [];
  let copied = before;
  for (let isWhole = false; !isWhole && begins.length < pagesMax; ) {
    begins.push(copied);
    const page = await ask(CHANGED_COUNTS, copied);
    await writeUsage(db, clock, page);
    const until = page.find(({ table }) => table === null);
    copied = until?.row ?? copied;
    isWhole = until?.isWhole ?? true;
  }
  const version = await copyRows();
  if (copied === before) return version;
  for (const begin of begins) await writeUsage(db, clock, await ask(CHANGED_KEYS, begin));
  await inFileTransaction(db, clock, "copy-usage", (tx) => {
    statement(tx, "UPDATE cluster_copy SET usage_copied = ?").run(copied);
  });
  return version;
}

function usageCopied(db: Database): string {
  const sql = "SELECT usage_copied AS copied FROM cluster_copy";
  return statement<{ copied: string }>(db, sql).get()?.copied ?? "{}";
}

async function writeUsage(
  db: Database,
  clock: Clock,
  page: readonly ChangedUsage[],
): Promise<void> {
  const byTable = Map.groupBy(page, ({ table }) => table);
  byTable.delete(null);
  if (byTable.size === 0) return;
  const write = (tx: Transaction): void => {
    for (const [table, rows] of byTable) {
      if (table !== null)
        statement(tx, WRITE[table]).run(`[${rows.map(({ row }) => row).join(",")}]`);
    }
  };
  // Foreign keys are not checked, because the organizations may be newer than this copy.
  await inFileTransaction(db, clock, "copy-usage", write, { checksReferences: false });
}
