/** Call sites without entries, by the beginning of their names, and why. */
const OUTSIDE: Readonly<Record<string, string>> = {
  "upkeep/checks/": "`kanalog check` reads the whole database, beside nobody's request.",
  "cluster/":
    "Made of each shared table's columns (cluster/plans.test.ts looks at all of them), rows that are given by their keys, and whole tables once, when a cluster or a copy is made.",
  "db/file/checkpoint.ts": "After a checkpoint of a file: the single row of a table of facts.",
  "db/database.ts": "Where statements of others are prepared, and the copy for a trial import.",
  "db/migrate.ts bring": "The schema of a new file, and what changes it: no request's.",
  "db/migrate.ts expectedShape": "The schema of a new file in memory, for `kanalog check`.",
  "db/read-transaction.ts": "BEGIN, COMMIT and a number in memory: no table is read.",
  "db/file/database-copy.ts":
    "Before a database is opened: the single row of a table of facts; the lock of a restore.",
  "db/migrate.ts shapeOf": "`kanalog check` reads the schema.",
};

/** Whether a call site has no entries. */
export function isOutside(name: string): boolean {
  return Object.keys(OUTSIDE).some((outside) => name.startsWith(outside));
}
