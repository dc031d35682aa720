import {
  countSchema,
  daySchema,
  integerSchema,
  objectSchema,
  textSchema,
  type ValueOf,
} from "../../values/schema.ts";

/** A day's usage by method and key, as the API returns it. */
export const usageSchema = objectSchema(
  {
    day: daySchema("Moscow day"),
    method: textSchema({ description: "Operation id", examples: ["msgr_channels_list"] }),
    key: integerSchema({ description: "Number of the key" }),
    requests: countSchema("Requests with a good key"),
    units: countSchema("Units they cost"),
    errors: countSchema("Requests answered with a status of 400 or more"),
  },
  "Usage",
);

export type UsageView = ValueOf<typeof usageSchema>;

/** Requests, their units, and those answered with status 400 or above. */
export type UsageSum = Pick<UsageView, "requests" | "units" | "errors">;
export type UsageOfMethod = Omit<UsageView, "key">;
export type UsageOfKey = Omit<UsageView, "day" | "method">;

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
