import { FALLBACK_PLAN, PERIOD_MS, type PlanCode } from "../../customers/accounts/plan.ts";
import { type Database, statement } from "../../db/database.ts";
import { findMeta, writeMeta } from "../../db/meta.ts";
import { transaction } from "../../db/transaction.ts";
import type { Day } from "../../values/moscow-time.ts";

/** How much of its plan's quota a customer has used in the period. */
export interface CustomerUse {
  id: number;
  name: string;
  plan: PlanCode;
  quota: number;
  used: number;
}

export interface StaffSummary {
  /** Organizations that are not archived. */
  customers: number;
  people: number;
  webhooksFailing: number;
  webhooksDisabled: number;
  /** Day of the newest reading of any channel; null if there is none. */
  lastReading: Day | null;
  /** Most units first. */
  top: CustomerUse[];
  /** Closest to their limit first. */
  nearLimit: CustomerUse[];
}

const COUNTS = `
  SELECT (SELECT count(*) FROM organizations WHERE archived_at IS NULL) AS customers,
    (SELECT count(*) FROM people) AS people,
    (SELECT max(statistics_until) FROM channel_metrics) AS lastReading,
    count(*) FILTER (WHERE disabled_reason = '' AND failing_since IS NOT NULL) AS webhooksFailing,
    count(*) FILTER (WHERE disabled_reason <> '') AS webhooksDisabled
  FROM webhooks WHERE organization_id IS NOT NULL`;

/**
 * The plan in force and its period, as `planInForce` and `periodAt` say; a test compares them. Numbers are bound as
 * floating point, of which none divides as integers do.
 */
const USES = `
  WITH terms AS (
    SELECT id, name,
      iif(plan_ends_at <= @now, @fallback, plan) AS plan,
      iif(plan_ends_at <= @now, plan_ends_at, plan_started_at) AS started_at
    FROM organizations WHERE archived_at IS NULL
  )
  SELECT t.id, t.name, t.plan, p.requests_per_period AS quota, u.used
  FROM terms t CROSS JOIN usage_periods u ON u.organization_id = t.id
    AND u.started_at = t.started_at
      + max(0, CAST(@now - t.started_at AS INTEGER) / ${PERIOD_MS}) * ${PERIOD_MS}
  CROSS JOIN plans p ON p.code = t.plan
  WHERE u.used > 0 AND u.used >= @share * p.requests_per_period`;

const SHOWN_MAX = 10;
const NEAR_SHARE = 0.8;

/** What the console's first page counts, and the customers that it names. */
export function summarizeForStaff(db: Database, { nowMs }: { nowMs: number }): StaffSummary {
  const uses = (order: string, share: number) =>
    statement<CustomerUse>(db, `${USES} ORDER BY ${order} LIMIT ${SHOWN_MAX}`).all({
      now: nowMs,
      fallback: FALLBACK_PLAN,
      share,
    });
  const [counts] = statement<Omit<StaffSummary, "top" | "nearLimit">>(db, COUNTS).all();
  return {
    ...(counts as Omit<StaffSummary, "top" | "nearLimit">),
    top: uses("u.used DESC, t.id", 0),
    nearLimit: uses("u.used * 1.0 / p.requests_per_period DESC, t.id", NEAR_SHARE),
  };
}

/**
 * Steps of the first hour that leave no other trace: the sample was kept, a call was tried, an assistant
 * connected.
 */
type NotedStep = "sample_kept" | "first_call" | "assistant_seen";

/** Records a step permanently; recording it again changes nothing. */
export const noteStep = transaction("checklist", (tx, clock, step: NotedStep) => {
  if (findMeta(tx, step) === undefined) writeMeta(tx, step, Buffer.from(String(clock.now())));
});

export type FirstSteps = ReturnType<typeof createFirstSteps>;

/**
 * Progress through the first hour.
 * @param note `noteStep` on a writing connection
 * @param runLater runs work that no answer waits for, and logs if it fails
 */
export function createFirstSteps(
  db: Database,
  note: (step: NotedStep) => Promise<void>,
  runLater: (name: string, work: () => Promise<void>) => void,
) {
  const noted = new Set<NotedStep>();
  return {
    isNoted: (step: NotedStep): boolean => findMeta(db, step) !== undefined,
    note,
    /** Called by every request of a kind: writes once per process, and the request does not wait for it. */
    noteOnce(step: NotedStep): void {
      if (noted.has(step)) return;
      noted.add(step);
      runLater("a first step", () => note(step));
    },
  };
}
