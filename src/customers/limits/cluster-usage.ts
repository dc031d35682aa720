import { openConnection, type Session } from "../../db/cluster/connection.ts";
import { requireCopy } from "../../db/cluster/link.ts";
import type { Database } from "../../db/database.ts";
import { storageUnavailable } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { UsedKey } from "../keys/key-use.ts";
import type { UsageEntry, UsageReceipt } from "./usage.store.ts";

/**
 * Maximum time of a commit, which usually takes milliseconds. Both commits that an answer may wait for end
 * in time, as commits to a file do (`commit-usage.ts`). A former primary without a confirmed standby never
 * finishes: the sooner it is left, the sooner another is found.
 */
const COMMIT_MS = 3_000;

/** SQL: epoch milliseconds by PostgreSQL's clock. */
const NOW_MS = "(extract(epoch FROM clock_timestamp()) * 1000)::float8";

/** SQL: charges entries. It returns no row and counts nothing if nobody waits for it any more. */
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
 */
export function createClusterUsageCommits(db: Database, url: string, node: string, clock: Clock) {
  const connection = openConnection(url, `${node} usage`, COMMIT_MS);
  /** PostgreSQL's clock minus ours; null if unknown, as after a lost connection. */
  let aheadMs: number | null = null;

  function hear(nowMs: number): number {
    return nowMs - clock.monotonic();
  }

  async function charge({ query }: Session, given: unknown[], untilMs: number): Promise<Charged> {
    // A second try, because PostgreSQL's clock may have been set.
    for (let tries = 0; tries < 2; tries++) {
      let known = aheadMs;
      aheadMs = null;
      if (known === null) {
        const [told] = await query<{ nowMs: number }>(`SELECT ${NOW_MS} AS "nowMs"`);
        known = hear(told?.nowMs ?? 0);
      }
      const values = [...given, untilMs + known];
      const [charged] = await query<Charged>({ name: "charge", text: CHARGE, values });
      if (charged !== undefined) {
        aheadMs = hear(charged.nowMs);
        return charged;
      }
    }
    throw storageUnavailable(new Error("PostgreSQL was asked to count, and came to it too late"));
  }

  return {
    /**
     * @throws AppError `unavailable` if PostgreSQL did not answer in time. Nothing is counted afterwards: a
     *   charge that arrives late, because PostgreSQL or the network stood still, finds its time over
     */
    async commit(
      entries: readonly UsageEntry[],
      keyUses: readonly UsedKey[],
    ): Promise<UsageReceipt[]> {
      const { version, mark } = requireCopy(db);
      const given = [
        version,
        mark,
        JSON.stringify(entries.map(asList)),
        JSON.stringify(keyUses.map(({ keyId, usedAt }) => [keyId, usedAt])),
      ];
      const untilMs = clock.monotonic() + COMMIT_MS;
      const { receipts } = await connection.use((session) => charge(session, given, untilMs));
      return receipts.map(([accepted, used]) => ({
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
