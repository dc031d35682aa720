import type { UsedKey } from "../customers/keys/keys.ts";
import {
  hasEnded,
  placeOf,
  type UsageEntry,
  type UsageReceipt,
} from "../customers/limits/usage.store.ts";
import type { Database } from "../db/database.ts";
import type { Place } from "../db/shared-rows.ts";
import { storageUnavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { openConnection, type Session } from "./connection.ts";
import { requireCopy } from "./link.ts";

/**
 * Time limit of a commit, which usually takes milliseconds. An answer may wait for two of them, as for
 * those to a file (`commit-usage.ts`). A former primary whose commits no standby confirms would let it wait
 * forever: the sooner it is left, the sooner another is found.
 */
const COMMIT_MS = 3_000;

/** SQL: epoch milliseconds by PostgreSQL's clock. */
const NOW_MS = "(extract(epoch FROM clock_timestamp()) * 1000)::float8";

/**
 * SQL: charges entries; after the deadline `$5`, when nobody waits any more, counts and returns nothing.
 */
const CHARGE = `
  SELECT kanalog.charge($1::bigint, $2::uuid, $3::text::json, $4::text::json) AS receipts,
    ${NOW_MS} AS "nowMs"
  WHERE ${NOW_MS} < $5::float8`;

interface Charged {
  receipts: [accepted: number | null, used: number][];
  nowMs: number;
}

/**
 * Commits usage and the use of keys to PostgreSQL, which counts for all nodes. Each commit also checks that
 * the accounts by which requests were admitted are still current: a key revoked on another node is not
 * served here.
 * @param db the copy of the cluster's rows that requests were judged by
 * @param readClock throws while this node's clock is wrong
 */
export function createClusterUsageCommits(
  db: Database,
  url: string,
  node: string,
  clock: Clock,
  readClock: () => number,
) {
  const connection = openConnection(url, `${node} usage`, COMMIT_MS);
  /** PostgreSQL's clock minus this process's monotonic one; null if unknown, as after a lost connection. */
  let aheadMs: number | null = null;

  function aheadOf(nowMs: number): number {
    return nowMs - clock.monotonic();
  }

  async function charge(
    { query }: Session,
    parameters: unknown[],
    untilMs: number,
  ): Promise<Charged> {
    // A second try, because PostgreSQL's clock may have been set.
    for (let tries = 0; tries < 2; tries++) {
      let offsetMs = aheadMs;
      aheadMs = null;
      if (offsetMs === null) {
        const [row] = await query<{ nowMs: number }>(`SELECT ${NOW_MS} AS "nowMs"`);
        offsetMs = aheadOf(row?.nowMs ?? 0);
      }
      const values = [...parameters, untilMs + offsetMs];
      const [charged] = await query<Charged>({ name: "charge", text: CHARGE, values });
      if (charged !== undefined) {
        aheadMs = aheadOf(charged.nowMs);
        return charged;
      }
    }
    throw storageUnavailable(new Error("PostgreSQL got to a charge only after its deadline"));
  }

  return {
    /**
     * @throws AppError `unavailable` if PostgreSQL did not answer in time. Nothing is counted afterwards: a
     * charge that arrives late, because PostgreSQL or the network stalled, finds its deadline passed
     */
    async commit(
      entries: readonly UsageEntry[],
      keyUses: readonly UsedKey[],
    ): Promise<UsageReceipt[]> {
      const at = readClock();
      const current = entries.filter((entry) => !hasEnded(entry, at));
      const { version, mark } = oldestCopy(current) ?? requireCopy(db);
      const parameters = [
        version,
        mark,
        JSON.stringify(current.map((entry) => asList(entry, at))),
        JSON.stringify(keyUses.map(({ keyId, usedAt }) => [keyId, usedAt])),
      ];
      const untilMs = clock.monotonic() + COMMIT_MS;
      const { receipts } = await connection.use((session) => charge(session, parameters, untilMs));
      const counted = receipts.values();
      return entries.map((entry) => {
        const [accepted, used] = (hasEnded(entry, at) ? null : counted.next().value) ?? [null, 0];
        const { periodStartedAt } = placeOf(entry, at);
        return {
          at,
          periodStartedAt,
          accepted: accepted ?? 0,
          used,
          isOutdated: accepted === null,
        };
      });
    },
    close: connection.close,
  };
}

/**
 * The oldest state by which any of the requests was admitted. The copy may have advanced while they waited
 * for their commit: by its present state, a key revoked meanwhile would pass as checked.
 */
function oldestCopy(entries: readonly UsageEntry[]): Place | null {
  let oldest: Place | null = null;
  for (const { copy } of entries) {
    if (copy !== null && (oldest === null || copy.version < oldest.version)) oldest = copy;
  }
  return oldest;
}

function asList(entry: UsageEntry, at: number): unknown[] {
  const { organizationId, keyId, method, status } = entry;
  const { day, periodStartedAt } = placeOf(entry, at);
  const { quota, units, requests, isPart } = entry;
  const counted = [organizationId, keyId, method, status, day, periodStartedAt];
  return [...counted, quota, units, requests, isPart];
}
