import type { UsedKey } from "../customers/keys/keys.ts";
import type { UsageEntry, UsageReceipt } from "../customers/limits/usage.store.ts";
import type { Database } from "../db/database.ts";
import type { Place } from "../db/shared-rows.ts";
import { storageUnavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { CLOCK_WRONG, LANES, NEAR_QUOTA, NOW_MS } from "./cluster-schema.ts";
import { openConnection, type Session } from "./connection.ts";
import { requireCopy } from "./link.ts";

/**
 * Time limit of a commit, which usually takes milliseconds. An answer may wait for two of them, as for
 * those to a file (`usage.ts`). A former primary whose commits no standby confirms would let it wait
 * forever: the sooner it is left, the sooner another is found.
 */
const COMMIT_MS = 3_000;

/** How long an organization that was near its quota is counted under its lock before it is tried without. */
const EXACT_MS = 10_000;

/** A free lane, which this session keeps until it ends; if all are taken, it shares one. */
const OPEN = `
  SELECT ${NOW_MS}::float8 AS "nowMs", coalesce(
    (SELECT lane FROM generate_series(0, ${LANES - 1}) lane WHERE pg_try_advisory_lock(7362, lane) LIMIT 1),
    pg_backend_pid() % ${LANES}) AS lane`;

/**
 * SQL: charges entries; after the deadline `$8`, when nobody waits any more, counts and returns nothing.
 */
const CHARGE = `
  SELECT kanalog.charge(
      $1::integer, $2::bigint, $3::bigint, $4::uuid, $5::bigint[], $6::text::json, $7::text::json
    ) AS charged, ${NOW_MS}::float8 AS "nowMs"
  WHERE ${NOW_MS} < $8::bigint`;

interface Charged {
  charged: [
    at: number,
    receipts: [accepted: number | null, used: number, periodStartedAt: number][],
  ];
  nowMs: number;
}

/**
 * Commits usage and the use of keys to PostgreSQL, which counts for all nodes, by its own clock. Each commit
 * also checks that the accounts by which requests were admitted are still current: a key revoked on another
 * node is not served here.
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
  /**
   * The lane, and PostgreSQL's clock minus this process's monotonic one; null if unknown, as after a lost
   * connection.
   */
  let opened: { lane: number; aheadMs: number } | null = null;
  /** Until when organizations are counted under their locks, by the monotonic clock. */
  const exactUntil = new Map<number, number>();
  let clockFault: string | null = null;

  function aheadOf(nowMs: number): number {
    return nowMs - clock.monotonic();
  }

  async function charge(
    { query }: Session,
    parameters: unknown[],
    untilMs: number,
  ): Promise<Charged["charged"]> {
    // A second try, because PostgreSQL's clock may have been set.
    for (let tries = 0; tries < 2; tries++) {
      let used = opened;
      opened = null;
      if (used === null) {
        const [row] = await query<{ nowMs: number; lane: number }>(OPEN);
        used = { lane: row?.lane ?? 0, aheadMs: aheadOf(row?.nowMs ?? 0) };
      }
      const values = [used.lane, ...parameters, Math.round(untilMs + used.aheadMs)];
      const [row] = await query<Charged>({ name: "charge", text: CHARGE, values });
      if (row !== undefined) {
        opened = { lane: used.lane, aheadMs: aheadOf(row.nowMs) };
        return row.charged;
      }
    }
    throw storageUnavailable(new Error("PostgreSQL got to a charge only after its deadline"));
  }

  /** Charges, and once more for each organization that turns out to be near its quota. */
  async function chargeAll(
    entries: readonly UsageEntry[],
    keyUses: readonly UsedKey[],
  ): Promise<Charged["charged"]> {
    const { version, mark } = oldestCopy(entries) ?? requireCopy(db);
    const entriesJson = JSON.stringify(entries.map(asList));
    const usesJson = JSON.stringify(keyUses.map(({ keyId, usedAt }) => [keyId, usedAt]));
    const untilMs = clock.monotonic() + COMMIT_MS;
    for (;;) {
      const exact = organizationsUnderLock(entries);
      const parameters = [Math.round(readClock()), version, mark, exact, entriesJson, usesJson];
      try {
        return await connection.use((session) => charge(session, parameters, untilMs));
      } catch (error) {
        const { code, detail, message: fault } = causeOf(error);
        if (code === CLOCK_WRONG) clockFault = `Nothing that costs is answered: ${fault}.`;
        if (code !== NEAR_QUOTA) throw error;
        exactUntil.set(Number(detail), clock.monotonic() + EXACT_MS);
      }
    }
  }

  function organizationsUnderLock(entries: readonly UsageEntry[]): number[] {
    const ids = entries.map(({ organizationId }) => organizationId);
    for (const id of ids) {
      if ((exactUntil.get(id) ?? 0) < clock.monotonic()) exactUntil.delete(id);
    }
    return ids.filter((id) => exactUntil.has(id));
  }

  return {
    /**
     * @throws AppError `unavailable` if PostgreSQL did not answer in time, or this machine's clock differs
     * from its. Nothing is counted afterwards: a charge that arrives late, because PostgreSQL or the network
     * stalled, finds its deadline passed
     */
    async commit(
      entries: readonly UsageEntry[],
      keyUses: readonly UsedKey[],
    ): Promise<UsageReceipt[]> {
      const [at, receipts] = await chargeAll(entries, keyUses);
      clockFault = null;
      return receipts.map(([accepted, used, periodStartedAt]) => ({
        at,
        periodStartedAt,
        accepted: accepted ?? 0,
        used,
        isOutdated: accepted === null,
      }));
    },
    /** Why this machine may not bill, for `/readyz`; null if its clock agrees with PostgreSQL's. */
    clockFault: () => clockFault,
    close: connection.close,
  };
}

/** PostgreSQL's own error, which became `unavailable`. */
function causeOf(error: unknown): { code?: string; detail?: string; message?: string } {
  return (error instanceof Error ? error.cause : null) ?? {};
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

function asList(entry: UsageEntry): unknown[] {
  const { organizationId, keyId, method, status, planStartedAt } = entry;
  const { endsAt, quota, units, requests, isPart } = entry;
  const counted = [organizationId, keyId, method, status, planStartedAt];
  // No end (`Infinity`) becomes null in JSON.
  return [...counted, endsAt, quota, units, requests, isPart];
}
