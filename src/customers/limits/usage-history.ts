import { type Database, statement } from "../../db/database.ts";
import { WITHIN_DEADLINE } from "../../db/deadline.ts";
import { type JsonText, toJsonText } from "../../values/json-text.ts";
import { type Day, formatDay } from "../../values/moscow-time.ts";
import * as shape from "../../values/schema.ts";
import { shownPage, type ValueOf } from "../../values/schema.ts";

export const usageSchema = shape.object(
  {
    day: shape.day("Moscow day"),
    method: shape.text({ description: "Operation id", examples: ["msgr_channels_list"] }),
    key: shape.integer("Number of the key"),
    requests: shape.count("Requests with a good key"),
    units: shape.count("Units they cost"),
    errors: shape.count("Requests answered with a status of 400 or more"),
  },
  "Usage",
);

export type UsageView = ValueOf<typeof usageSchema>;

/** Requests, their units, and those answered with status 400 or above. */
export type UsageSum = Pick<UsageView, "requests" | "units" | "errors">;
export type UsageOfMethod = Omit<UsageView, "key">;
type UsageOfKey = Omit<UsageView, "day" | "method">;

/** Bounded, however many keys there are. */
export interface UsageSummary {
  days: UsageOfMethod[];
  keys: UsageOfKey[];
  keysUsed: number;
}

/** A period's pace is unknown until this much of it has passed. */
const KNOWN_AFTER_MS = 60 * 60 * 1000;

/**
 * When a period's quota will be used up at its pace so far.
 * @returns epoch milliseconds; `lasts` if not before the period's end; `unknown` if it is too early to tell
 */
export function quotaEnd(
  { startedAt, endsAt, used }: { startedAt: number; endsAt: number; used: number },
  quota: number,
  nowMs: number,
): number | "lasts" | "unknown" {
  const elapsedMs = nowMs - startedAt;
  if (used >= quota) return nowMs;
  if (elapsedMs < KNOWN_AFTER_MS || used === 0) return "unknown";
  const end = startedAt + Math.round((quota / used) * elapsedMs);
  return end < endsAt ? end : "lasts";
}

/** Days of an organization's usage; both ends are included. */
export interface UsageDays {
  organizationId: number;
  from: Day;
  to: Day;
}

export type UsagePosition = readonly [day: Day, method: string, key: number];

export interface UsageSelection extends UsageDays {
  after: UsagePosition | null;
  limit: number;
}

export interface UsagePage {
  results: JsonText<UsageView[]>;
  last: UsagePosition | null;
}

const SUMS = `sum(requests) AS requests, sum(units) AS units,
  sum(CASE WHEN status >= 400 THEN requests ELSE 0 END) AS errors`;

/** Usage by day, method and key, in pages, since keys and methods may be many. */
export function selectUsage(
  db: Database,
  { organizationId, from, to, after, limit }: UsageSelection,
): UsagePage {
  const [day, method, key] = after ?? [from, "", 0];
  const sql = `SELECT day, method, key_id AS key, ${SUMS}
    FROM usage_days
    WHERE ${WITHIN_DEADLINE} AND organization_id = @organizationId
      AND (day, method, key_id) > (@day, @method, @key) AND day <= @to
    GROUP BY day, method, key_id ORDER BY day, method, key_id LIMIT @limit`;
  const rows = statement<UsageSum & { day: Day; method: string; key: number }>(db, sql).all({
    organizationId,
    day,
    method,
    key,
    to,
    limit: limit + 1,
  });
  const { shown, last } = shownPage(rows, limit);
  return {
    results: toJsonText(shown.map((row) => ({ ...row, day: formatDay(row.day) }))),
    last: last && [last.day, last.method, last.key],
  };
}

const KEYS_SHOWN = 50;

/** An organization's usage by day and method, and by key for its most used keys. */
export function summarizeUsage(
  db: Database,
  { organizationId, from, to }: UsageDays,
): UsageSummary {
  const of = `WHERE ${WITHIN_DEADLINE} AND organization_id = ? AND day BETWEEN ? AND ?`;
  const days = statement<UsageSum & { day: Day; method: string }>(
    db,
    `SELECT day, method, ${SUMS} FROM usage_days ${of} GROUP BY day, method ORDER BY day, method`,
  ).all(organizationId, from, to);
  const keys = statement<UsageOfKey & { keysUsed: number }>(
    db,
    `SELECT key_id AS key, ${SUMS}, count(*) OVER () AS keysUsed FROM usage_days ${of}
     GROUP BY key_id ORDER BY requests DESC, key_id LIMIT ${KEYS_SHOWN}`,
  ).all(organizationId, from, to);
  return {
    days: days.map((row) => ({ ...row, day: formatDay(row.day) })),
    keys: keys.map(({ keysUsed: _, ...row }) => row),
    keysUsed: keys[0]?.keysUsed ?? 0,
  };
}
