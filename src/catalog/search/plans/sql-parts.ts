import type { Database } from "../../../db/database.ts";
import { WITHIN_DEADLINE } from "../../../db/deadline.ts";
import { CURRENT_SLOT } from "../../metrics/metrics.store.ts";
import { METRIC_ORDERS, ORDERED_METRICS, type OrderedMetric } from "../../metrics/metrics.ts";
import type { Query, TextTest } from "../query.ts";
import type { Found } from "./candidates.ts";

/** Limit for channels that a walk passes before all candidates are sorted instead. */
export const WALK_MAX = 15_000;

/**
 * SQL: checks the deadline for every row; left out if no more than `WALK_MAX` rows can be visited.
 * @param most limit for the rows visited
 */
export function guard(most: number): string {
  return most > WALK_MAX ? WITHIN_DEADLINE : "1";
}

/** SQL: whether the channel comes after the previous page. */
export function afterCondition({ value, after }: Query): string {
  if (after === null) return "";
  if (after[0] === null) return `AND ${value} IS NULL AND c.id > @afterId`;
  return `AND (${value} < @afterValue OR (${value} = @afterValue AND c.id > @afterId)
    OR ${value} IS NULL)`;
}

/** SQL: entries of a metric's order, for the requested kind. */
export function entriesOf(column: OrderedMetric): string {
  return entriesOfOrders(`= ${ORDERED_METRICS[column]}`);
}

/** SQL: all channels that have the metric, including those that its order leaves out. */
export function allEntriesOf(column: OrderedMetric): string {
  const numbers = METRIC_ORDERS.filter(({ metric }) => metric === column);
  return entriesOfOrders(`IN (${numbers.map(({ number }) => number).join(", ")})`);
}

function entriesOfOrders(numbers: string): string {
  return `o.slot = ${CURRENT_SLOT} AND o.metric ${numbers} AND o.is_chat = @isChat`;
}

/** SQL: joins the search texts of `channels c` and tests them; without tests, no text is read. */
export function textTests(tests: readonly TextTest[]): { join: string; where: string } {
  return tests.length === 0
    ? { join: "", where: "" }
    : {
        join: "CROSS JOIN channel_texts t ON t.id = c.id",
        where: tests.map(({ sql }) => sql).join(" "),
      };
}

export interface Plan {
  name: string;
  /** Conditions for trying it; all must hold. */
  applies: readonly Condition[];
  /** Finds the page; null if it gives up. */
  run(db: Database, query: Query): Found[] | null;
  /** Why it gives up, for `kanalog search explain`; absent if it never does. */
  givesUp?: string;
}

/** A condition of a plan, described for `kanalog search explain`. */
interface Condition {
  words: string;
  holds(query: Query): boolean;
  /** The numbers that decide whether it holds. */
  figures?(query: Query): string;
}

export const IS_SEARCH: Condition = {
  words: "the search index is asked for a text, a category, a territory or a mark",
  holds: ({ expression }) => expression !== null,
};

export function about(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}
