import type { Database } from "../../../db/database.ts";
import { idAt, stepAt } from "../../channels/search-index.ts";
import { type Part, type Query, UNBOUNDED } from "../query.ts";
import { findAmongCandidates } from "./candidates.ts";
import { type Found, selectFound } from "./found.ts";
import { BY_SUBSCRIBERS, IS_SEARCH, type Plan } from "./plan.ts";
import { afterCondition, guard, IN_INDEX } from "./sql-parts.ts";

/** Candidates that are looked at first, in the order of the index; then four times as many each time. */
const IN_ORDER_FIRST = 100;
const IN_ORDER_GROWTH = 4;
/** The most at a time while there is another expression, which leaves fewer. */
const IN_ORDER_MAX = 400;
/** The same where the other expression costs more; and amid a step, where the page before is met again. */
const IN_ORDER_LONG_MAX = 1_600;
/** Rest of the step in which a page ends: all channels may be in one, where nobody counts subscribers. */
const REST_MAX = 1_000;

/** The search index has channels nearly in this ordering (search-index.ts): it is read until the page is full. */
export const inOrder: Plan = {
  name: "in order",
  applies: [BY_SUBSCRIBERS, IS_SEARCH],
  run(db, query) {
    const { expressions } = query;
    const [cheap] = expressions;
    const last = expressions.at(-1);
    if (cheap === undefined || last === undefined) return null;
    const lastMax = query.isAmid ? IN_ORDER_LONG_MAX : UNBOUNDED;
    // To read the index for the last expression may cost more than to look at what the first leaves.
    const isFirstCheap = cheap.candidates > IN_ORDER_MAX && cheap.candidates < last.reading;
    const firstMax = isFirstCheap ? IN_ORDER_LONG_MAX : IN_ORDER_MAX;
    for (const expression of expressions) {
      const someMax = expression === last ? lastMax : firstMax;
      const found = findInOrder(db, query, expression.match, someMax);
      if (found !== null) return found;
    }
    return null;
  },
  givesUp: "too many candidates before the page is full, or in the step in which it ends",
};

/**
 * Looks at candidates in the order of the index, some at first, then more, until the page is full; then
 * at the rest of the step in which it ends. Null where more than `someMax` would have to be looked at at
 * a time, or more than `REST_MAX` are the rest.
 */
function findInOrder(db: Database, query: Query, match: string, someMax: number): Found[] | null {
  const found: Found[] = [];
  let { part } = query;
  for (let some = IN_ORDER_FIRST; some <= someMax; some *= IN_ORDER_GROWTH) {
    const need = query.limit - found.length;
    const { candidates, last, matches } = nextInOrder(db, query, match, part, { some, need });
    found.push(...matches);
    const end = matches[need - 1];
    if (end !== undefined) {
      const step = { firstStep: end.step, firstId: end.id + 1, endStep: end.step + 1 };
      const rest = findAmongCandidates(db, query, match, REST_MAX, step);
      return rest && [...found, ...rest].sort(bySubscribers).slice(0, query.limit);
    }
    if (candidates < some) return found.sort(bySubscribers);
    part = { ...part, firstStep: last.step, firstId: last.id + 1 };
  }
  return null;
}

interface Placed {
  id: number;
  step: number;
}

/** The next `some` candidates, of which the first `need` that match are found. */
function nextInOrder(
  db: Database,
  query: Query,
  match: string,
  part: Part,
  { some, need }: { some: number; need: number },
): { candidates: number; last: Placed; matches: (Found & Placed)[] } {
  // The first row has the last candidate, and as its value how many there are. Candidates are kept in
  // their order, in which the cross join goes through them: an ORDER BY would look at all.
  const [first, ...matches] = selectFound<Found & Placed>(
    db,
    `WITH
       candidates AS MATERIALIZED (
         SELECT rowid AS place FROM channel_search
         WHERE ${guard(some)} AND ${IN_INDEX} ORDER BY rowid LIMIT @some),
       ends (n, last) AS MATERIALIZED (SELECT count(*), max(place) FROM candidates)
     SELECT ${idAt("last")} AS id, n AS value, ${stepAt("last")} AS step FROM ends
     UNION ALL SELECT * FROM (
       SELECT c.id, c.subscribers, ${stepAt("m.place")}
       FROM candidates m CROSS JOIN channels c ON c.id = ${idAt("m.place")}
       WHERE ${guard(some)} AND c.is_public = 1 AND c.kind = @kind
         ${query.range} ${afterCondition(query)} ${query.tests}
       LIMIT @need)`,
    query,
    { match, some, need, ...part },
  );
  const { id = 0, step = 0, value = 0 } = first ?? {};
  return { candidates: value ?? 0, last: { id, step }, matches };
}

function bySubscribers(one: Found, other: Found): number {
  return (other.value ?? 0) - (one.value ?? 0) || one.id - other.id;
}
