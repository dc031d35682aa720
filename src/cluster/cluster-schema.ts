import { PERIOD_DAYS } from "../customers/accounts/plan.ts";
import { CLOCK_OFF_MS } from "../db/shared-rows.ts";
import { DAY_MS, MOSCOW_OFFSET_MS } from "../values/moscow-time.ts";
import schema from "./cluster-schema.sql" with { type: "text" };

/** Processes that can count usage at the same time without waiting for each other; further ones share. */
export const LANES = 32;

/** Errors of `kanalog.charge`: the node's clock is wrong; the organization needs its lock. */
export const CLOCK_WRONG = "KN001";
export const NEAR_QUOTA = "KN002";

/** SQL: epoch milliseconds by PostgreSQL's clock. */
export const NOW_MS = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** SQL: the day of an instant, as `dayOf` has it. */
export const daySql = (instant: string): string =>
  `((${instant} + ${MOSCOW_OFFSET_MS}) / ${DAY_MS})`;

/**
 * The cluster's own schema in PostgreSQL. All shared rows are in one table, in the form in which nodes send
 * them, so a node's schema can change without changing this one. PostgreSQL counts usage itself, in tables
 * and a function of its own.
 */
export const CLUSTER_SCHEMA = Object.entries({
  last_lane: LANES - 1,
  now_ms: NOW_MS,
  today: daySql("now_ms"),
  clock_off_ms: CLOCK_OFF_MS,
  clock_wrong: CLOCK_WRONG,
  period_ms: PERIOD_DAYS * DAY_MS,
  lanes: LANES,
  near_quota: NEAR_QUOTA,
}).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, String(value)), schema);
