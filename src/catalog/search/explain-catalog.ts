import type { Database } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { facetWords } from "../channels/search-text.ts";
import type { CatalogSelection } from "./catalog.ts";
import { findByPlan, PLANS, type Planned, queryOf } from "./planner.ts";
import type { Plan } from "./plans/plan.ts";
import type { Query, Sample } from "./query.ts";

export type PlanOutcome = "taken" | "gave up" | "would apply" | "does not apply";

/** How a page of the catalog was found, and why in this way. */
export interface Explanation {
  /** Channels on the page, and whether there are more behind them. */
  found: number;
  hasMore: boolean;
  /** To plan and to find, without the cards. */
  tookMs: number;
  /** Expressions for the search index, the cheap one first; none where nothing is searched. */
  expressions: { terms: string[]; candidates: number; reading: number; channels: number }[];
  /** Null where no candidates were looked at for the sake of planning. */
  sample: Sample | null;
  /** All plans, in the order in which they are tried. */
  plans: { name: string; outcome: PlanOutcome; why: string }[];
}

/** Finds a page as `selectCatalog` does, and tells how. */
export function explainCatalog(
  db: Database,
  clock: Clock,
  selection: CatalogSelection,
): Explanation {
  const startedMs = clock.monotonic();
  const query = queryOf(db, selection);
  const planned = findByPlan(db, query);
  const tookMs = clock.monotonic() - startedMs;
  const found = planned.found.length;
  return {
    found: Math.min(found, selection.limit),
    hasMore: found > selection.limit,
    tookMs,
    expressions: query.expressions.map(({ terms, candidates, reading, channels }) => ({
      terms: terms.map((term) => facetWords(term) ?? `"${term}"`),
      candidates: Math.round(candidates),
      reading: Math.round(reading),
      channels,
    })),
    sample: query.sample,
    plans: PLANS.map((plan) => ({ name: plan.name, ...tell(plan, query, planned) })),
  };
}

function tell(
  plan: Plan,
  query: Query,
  { taken, gaveUp }: Planned,
): { outcome: PlanOutcome; why: string } {
  if (gaveUp.includes(plan)) return { outcome: "gave up", why: plan.givesUp ?? "" };
  const said = plan.applies.map(({ words, holds, figures }) => ({
    isSo: holds(query),
    text: figures === undefined ? words : `${words} (${figures(query)})`,
  }));
  const lacking = said.find(({ isSo }) => !isSo);
  if (lacking !== undefined) return { outcome: "does not apply", why: `only if ${lacking.text}` };
  const why = said.map(({ text }) => text).join("; ");
  return { outcome: plan === taken ? "taken" : "would apply", why };
}
