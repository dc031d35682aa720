import { openConnection } from "../../db/cluster/connection.ts";
import { copiedVersion, requireCluster } from "../../db/cluster/link.ts";
import { type Database, statement, type Transaction } from "../../db/database.ts";
import { inFileTransaction } from "../../db/file-transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { UsedKey } from "../keys/key-use.ts";
import type { UsageEntry, UsageReceipt } from "./usage.store.ts";

const CHARGE = "SELECT kanalog.charge($1::bigint, $2::text::json, $3::text::json) AS receipts";

/**
 * Commits entries and the use of keys at PostgreSQL, which counts for all nodes. It also says whether what
 * a request went by is still so: a key that was revoked on another node is not served here.
 * @param db a copy of the cluster's rows, by which the requests were judged
 */
export function createClusterUsageCommits(db: Database, url: string, node: string) {
  const connection = openConnection(url, `${node} usage`);
  return {
    async commit(
      entries: readonly UsageEntry[],
      keyUses: readonly UsedKey[],
    ): Promise<UsageReceipt[]> {
      const values = [
        copiedVersion(db),
        JSON.stringify(entries.map(asList)),
        JSON.stringify(keyUses.map(({ keyId, usedAt }) => [keyId, usedAt])),
      ];
      const [row] = await connection.use((session) =>
        session.query<{ receipts: [accepted: number | null, used: number][] }>({
          name: "charge",
          text: CHARGE,
          values,
        }),
      );
      return (row?.receipts ?? []).map(([accepted, used]) => ({
        accepted: accepted ?? 0,
        used,
        isOutdated: accepted === null,
      }));
    },
    close: connection.close,
  };
}

function asList(entry: UsageEntry): unknown[] {
  const { organizationId, keyId, method, status, day, periodStartedAt } = entry;
  const { quota, units, requests, isPart } = entry;
  const counted = [organizationId, keyId, method, status, day, periodStartedAt];
  return [...counted, quota, units, requests, isPart];
}

/** Rows that were written by transactions which may not have ended at the last look. */
const CHANGED_USAGE = `
  SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS copied,
    (SELECT json_agg(json_build_array(organization_id, started_at, used))
     FROM kanalog.usage_periods WHERE changed >= $1::xid8) AS periods,
    (SELECT json_agg(json_build_array(organization_id, day, method, key_id, status, requests, units))
     FROM kanalog.usage_days WHERE changed >= $1::xid8) AS days,
    (SELECT json_agg(json_build_array(key_id, used_at))
     FROM kanalog.key_uses WHERE changed >= $1::xid8) AS keys`;

const WRITE_PERIODS = `
  INSERT INTO usage_periods (organization_id, started_at, used)
  SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true
  ON CONFLICT (organization_id, started_at) DO UPDATE SET used = excluded.used`;

const WRITE_DAYS = `
  INSERT INTO usage_days (organization_id, day, method, key_id, status, requests, units)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
  FROM json_each(?) WHERE true
  ON CONFLICT (organization_id, day, method, key_id, status)
  DO UPDATE SET requests = excluded.requests, units = excluded.units`;

const WRITE_KEYS = `
  UPDATE keys SET last_used_at = given.value ->> 1
  FROM json_each(?) given WHERE keys.id = given.value ->> 0`;

/** Brings the file's usage to what PostgreSQL has counted, for pages and headers of free requests. */
export async function copyUsage(db: Database, clock: Clock): Promise<void> {
  const { authority } = requireCluster(db);
  const sql = "SELECT usage_copied AS copied FROM cluster_copy";
  const since = statement<{ copied: string }>(db, sql).get()?.copied ?? "0";
  const [changed] = await authority.query<{
    copied: string;
    periods: unknown[] | null;
    days: unknown[] | null;
    keys: unknown[] | null;
  }>({ name: "usage", text: CHANGED_USAGE, values: [since] });
  if (changed === undefined) return;
  const isSame = (changed.periods ?? changed.days ?? changed.keys) === null;
  if (isSame && changed.copied === since) return;
  const write = (tx: Transaction, text: string, rows: unknown[] | null): void => {
    if (rows !== null) statement(tx, text).run(JSON.stringify(rows));
  };
  // Its keys may be newer than the copy of them: what belongs to no row yet is copied with the next look.
  await inFileTransaction(
    db,
    clock,
    "copy-usage",
    (tx) => {
      write(tx, WRITE_PERIODS, changed.periods);
      write(tx, WRITE_DAYS, changed.days);
      write(tx, WRITE_KEYS, changed.keys);
      statement(tx, "UPDATE cluster_copy SET usage_copied = ?").run(changed.copied);
    },
    { checksReferences: false },
  );
}
