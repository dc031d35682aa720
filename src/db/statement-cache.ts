import type { Statement } from "./statement.ts";

/** Statements that a connection keeps at most: more than its usual work has, and some 20 MB. */
export const STATEMENTS_KEPT_MAX = 500;
const GENERATION_MAX = STATEMENTS_KEPT_MAX / 2;

type Statements = Map<string, Statement>;

/**
 * Prepared statements of one connection, by their text. Callers choose filters and thereby texts, so
 * that not all can be kept: each is of the young generation or of the old one, and when the young one
 * is full it becomes the old one, whose statements are forgotten but for those that were used since.
 * So a hit among the young, as nearly all are, costs no bookkeeping. Whoever holds a statement can use
 * it as long as they like.
 */
export function createStatementCache(prepare: (sql: string) => Statement) {
  let young: Statements = new Map();
  let old: Statements = new Map();

  function keep(sql: string, statement: Statement): Statement {
    if (young.size >= GENERATION_MAX) {
      old = young;
      young = new Map();
    }
    young.set(sql, statement);
    return statement;
  }

  return {
    /** The statement of a text, prepared where it is not kept. */
    get(sql: string): Statement {
      const found = young.get(sql);
      if (found !== undefined) return found;
      const former = old.get(sql);
      old.delete(sql);
      return keep(sql, former ?? prepare(sql));
    },

    kept: (): number => young.size + old.size,
  };
}
