import { type Database, statement, type Transaction } from "../db/database.ts";
import { inFileTransaction } from "../db/transaction.ts";
import type { Clock } from "../ports/clock.ts";
import { requireCluster } from "./link.ts";

/** Rows to write per transaction of the file: some 10 ms. */
const ROWS_PER_PAGE = 2_000;

/** SQL: rows written by transactions that may not have ended at the last look. */
const CHANGED = "WHERE changed >= $since";

/** SQL: changed counts. The row without a table says where the next look begins. */
const CHANGED_COUNTS = `
  SELECT NULL AS "table", NULL AS row, pg_snapshot_xmin(pg_current_snapshot())::text AS copied
  UNION ALL
  SELECT 'usage_periods', json_build_array(organization_id, started_at, used)::text, NULL
  FROM kanalog.usage_periods ${CHANGED}
  UNION ALL
  SELECT 'usage_days',
    json_build_array(organization_id, day, method, key_id, status, requests, units)::text, NULL
  FROM kanalog.usage_days ${CHANGED}`;

const CHANGED_KEYS = `
  SELECT 'keys' AS "table", json_build_array(key_id, used_at)::text AS row, NULL AS copied
  FROM kanalog.key_uses ${CHANGED}`;

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
  copied: string;
}

/**
 * Updates the file's usage to PostgreSQL's counts, for pages and the headers of free requests.
 * @param copyRows updates the shared rows. Called after usage is read and before key uses are: the row of a
 * key whose use precedes the first reading is in the file by then, and later uses are found again by the
 * next look
 * @returns version of the shared rows
 */
export async function copyUsage(
  db: Database,
  clock: Clock,
  copyRows: () => Promise<number>,
): Promise<number> {
  const since = usageCopied(db);
  const copied = await copyChanged(db, clock, CHANGED_COUNTS, since);
  const version = await copyRows();
  await copyChanged(db, clock, CHANGED_KEYS, since);
  if (copied !== since) {
    await inFileTransaction(db, clock, "copy-usage", (tx) => {
      statement(tx, "UPDATE cluster_copy SET usage_copied = ?").run(copied);
    });
  }
  return version;
}

function usageCopied(db: Database): string {
  const sql = "SELECT usage_copied AS copied FROM cluster_copy";
  return statement<{ copied: string }>(db, sql).get()?.copied ?? "0";
}

/**
 * Copies changes in one query if they fit a page, because each idle node asks every second; otherwise page
 * by page, because a new copy gets all usage.
 * @returns where the next look begins
 */
function copyChanged(db: Database, clock: Clock, select: string, since: string): Promise<string> {
  const changed = select.replaceAll("$since", `'${BigInt(since)}'::xid8`);
  return requireCluster(db).authority.use(async ({ query }) => {
    let copied = since;
    const copyPage = async (text: string): Promise<boolean> => {
      const page = await query<ChangedUsage>(text);
      const isLast = page.length < ROWS_PER_PAGE;
      copied = page.find(({ table }) => table === null)?.copied ?? copied;
      await writeUsage(db, clock, page);
      return isLast;
    };
    if (await copyPage(`${changed} LIMIT ${ROWS_PER_PAGE}`)) return copied;
    await query(`BEGIN READ ONLY; DECLARE changed NO SCROLL CURSOR FOR ${changed}`);
    while (!(await copyPage(`FETCH ${ROWS_PER_PAGE} FROM changed`)));
    await query("COMMIT");
    return copied;
  });
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
