import { WITHIN_DEADLINE } from "../../../db/deadline.ts";
import { SLOT_READ } from "../../metrics/metrics.store.ts";
import { METRIC_ORDERS, ORDERED_METRICS, type OrderedMetric } from "../../metrics/metrics.ts";
import type { Query, TextTest } from "../query.ts";

/** Channels that a walk meets in vain before all candidates are looked at. */
export const WALK_MAX = 15_000;

/** SQL: only a statement that may look at more than the longest walk has to watch the clock for every row. */
export function guard(most: number): string {
  return most > WALK_MAX ? WITHIN_DEADLINE : "1";
}

/** SQL: the channel comes after the page before. */
export function afterCondition({ value, after }: Query): string {
  if (after === null) return "";
  if (after[0] === null) return `AND ${value} IS NULL AND c.id > @afterId`;
  return `AND (${value} < @afterValue OR (${value} = @afterValue AND c.id > @afterId)
    OR ${value} IS NULL)`;
}

/** SQL: the entries of a metric's order, of the kind asked for. */
export function entriesOf(column: OrderedMetric): string {
  return entriesOfOrders(`= ${ORDERED_METRICS[column]}`);
}

/** SQL: the same of all channels that have the metric, also of those that its order leaves out. */
export function allEntriesOf(column: OrderedMetric): string {
  const numbers = METRIC_ORDERS.filter(({ metric }) => metric === column);
  return entriesOfOrders(`IN (${numbers.map(({ number }) => number).join(", ")})`);
}

function entriesOfOrders(numbers: string): string {
  return `o.slot = ${SLOT_READ} AND o.metric ${numbers} AND o.is_chat = @isChat`;
}

/** SQL: the search texts of `channels c`, and what is tested on them; no text is read where nothing is. */
export function textTests(tests: readonly TextTest[]): { join: string; where: string } {
  return tests.length === 0
    ? { join: "", where: "" }
    : {
        join: "CROSS JOIN channel_texts t ON t.id = c.id",
        where: tests.map(({ sql }) => sql).join(" "),
      };
}
