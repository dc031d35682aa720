import BetterSqlite3 from "better-sqlite3";

/**
 * Faults that SQLite finds in the file, and channels whose search index differs from the table. Uses a new
 * connection, because FTS5 caches the index's structure between two integrity checks, and then reports what
 * another process wrote meanwhile as corruption.
 */
export function faultsOf(path: string): unknown[] {
  const db = new BetterSqlite3(path);
  try {
    return readFaults(db);
  } finally {
    db.close();
  }
}

function readFaults(db: BetterSqlite3.Database): unknown[] {
  const integrity = db.pragma("integrity_check", { simple: true });
  const foreignKeys = db.pragma("foreign_key_check") as unknown[];
  db.exec("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, channel_search, instance)");
  const indexed = new Map<number, Set<string>>();
  for (const { term, doc } of db.prepare("SELECT term, doc FROM temp.terms").all() as {
    term: string;
    doc: number;
  }[]) {
    let terms = indexed.get(doc);
    if (terms === undefined) {
      terms = new Set();
      indexed.set(doc, terms);
    }
    terms.add(term);
  }
  const differing: number[] = [];
  const rows = db
    .prepare(
      `SELECT t.id, t.search_text FROM channel_texts t JOIN channels c ON c.id = t.id
       WHERE c.is_public = 1`,
    )
    .all() as { id: number; search_text: string }[];
  for (const { id, search_text } of rows) {
    const points = [...search_text];
    const wanted = new Set(points.slice(2).map((_, at) => points.slice(at, at + 3).join("")));
    const found = indexed.get(id) ?? new Set();
    if (wanted.size !== found.size || [...wanted].some((term) => !found.has(term))) {
      differing.push(id);
    }
    indexed.delete(id);
  }
  return [
    ...(integrity === "ok" ? [] : [integrity]),
    ...foreignKeys,
    ...differing,
    ...indexed.keys(),
  ];
}
