import type { Statement } from "./statement.ts";

/** Most statements cached per connection: more than normal work uses, and some 20 MB. */
export const STATEMENTS_KEPT_MAX = 500;
const GENERATION_MAX = STATEMENTS_KEPT_MAX / 2;

type Statements = Map<string, Statement>;

/**
 * Prepared statements of one connection, by text. Callers' filters vary the texts, so not all can be kept.
 * New statements enter the young generation; once that is full it becomes the old one, and the previous old
 * one is dropped except for statements used since. A hit among the young, which nearly all are, needs no
 * bookkeeping. A statement stays usable for whoever still holds it.
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
    /** The cached statement of a text, prepared if necessary. */
    get(sql: string): Statement {
      const found = young.get(sql);
      if (found !== undefined) return found;
      const former = old.get(sql);
      old.delete(sql);
      return keep(sql, former ?? prepare(sql));
    },

    /** Number of cached statements. */
    kept: (): number => young.size + old.size,
  };
}
