/**
 * SQLite as built here does not report how many rows a statement visits (no sqlite_stmt, no scan status, no
 * progress callback). So a copy of the statement counts them: an SQL function comes first in the WHERE of
 * each SELECT, UPDATE and DELETE, once for each table of its FROM, with that table's row number as
 * argument. SQLite calls it in that table's loop, for every row that the loop's index or scan visits,
 * before it checks any other condition.
 */
export const VISITED = "visited";

/** Tables, each with the column that identifies its rows. */
export type RowNames = ReadonlyMap<string, string>;

interface Token {
  text: string;
  /** The token's text in capitals; empty for quoted text, a number or a parameter. */
  word: string;
  at: number;
  end: number;
}

const TOKEN =
  /--[^\n]*|'(?:[^']|'')*'|"(?:[^"]|"")*"|[A-Za-z_\u0080-\uffff][\w$]*|[?@:]\w*|\d[\w.]*|\S/g;

function tokensOf(sql: string): Token[] {
  return [...sql.matchAll(TOKEN)]
    .filter(([text]) => !text.startsWith("--"))
    .map(({ 0: text, index: at }) => {
      const word = /^[A-Za-z_(),.;]/.test(text) ? text.toUpperCase() : "";
      return { text, word, at, end: at + text.length };
    });
}

const ENDS_WHERE = new Set(
  "GROUP HAVING WINDOW ORDER LIMIT RETURNING UNION EXCEPT INTERSECT SELECT ON ;".split(" "),
);
const NO_ALIAS = new Set(
  `WHERE JOIN CROSS INNER LEFT OUTER NATURAL SET INDEXED NOT USING , ) ${[...ENDS_WHERE].join(" ")}`.split(
    " ",
  ),
);

interface Insertion {
  at: number;
  text: string;
}

/** The statement with a call of `visited(number, …)` for each table of each FROM. */
export function countedSql(sql: string, number: number, rowNames: RowNames): string {
  const tokens = tokensOf(sql);
  const insertions: Insertion[] = [];
  const wordAt = (at: number): string => tokens[at]?.word ?? "";

  /**
   * Reads from a token to the bracket that closes it, or to the end. @returns the index of the next token
   */
  function readScope(start: number): number {
    let calls: string[] = [];
    let whereAt: number | null = null;
    let isFrom = false;
    let isTableNext = false;
    let at = start;

    const endPart = (): void => {
      const { end } = tokens[at - 1] ?? { end: 0 };
      if (calls.length > 0) {
        const all = calls.join(" AND ");
        if (whereAt === null) insertions.push({ at: end, text: ` WHERE ${all}` });
        else insertions.push({ at: whereAt, text: ` ${all} AND (` }, { at: end, text: ")" });
      }
      calls = [];
      whereAt = null;
      isFrom = false;
    };

    const readTable = (): void => {
      isTableNext = false;
      const name = unquoted(tokens[at]?.text ?? "");
      at += 1;
      const isFunction = wordAt(at) === "(";
      if (isFunction) at = readScope(at + 1);
      if (wordAt(at) === "AS") at += 1;
      const token = tokens[at];
      const hasAlias =
        token !== undefined && /^["\w]/.test(token.text) && !NO_ALIAS.has(token.word);
      const alias = hasAlias ? token.text : `"${name}"`;
      if (hasAlias) at += 1;
      const row = isFunction ? "rowid" : rowNames.get(name);
      if (row === undefined) return; // such as a CTE, whose own tables are counted
      calls.push(`${VISITED}(${number}, ${alias}.${row})`);
    };

    while (at < tokens.length) {
      const word = wordAt(at);
      const isJoinCondition = word === "ON" && isFrom && wordAt(at + 1) !== "CONFLICT";
      if (word === ")") break;
      if (word === "(") {
        isTableNext = false;
        at = readScope(at + 1);
      } else if (isTableNext) {
        readTable();
      } else {
        if (ENDS_WHERE.has(word) && !isJoinCondition) endPart();
        if (word === "FROM" || (word === "UPDATE" && wordAt(at - 1) !== "DO")) isTableNext = true;
        if (word === "FROM") isFrom = true;
        if (isFrom && (word === "JOIN" || word === ",")) isTableNext = true;
        if (word === "WHERE") {
          isFrom = false;
          whereAt = tokens[at]?.end ?? null;
        }
        at += 1;
      }
    }
    endPart();
    return at + 1;
  }

  readScope(0);
  let counted = "";
  let copied = 0;
  for (const { at, text } of insertions.toSorted((one, other) => one.at - other.at)) {
    counted += sql.slice(copied, at) + text;
    copied = at;
  }
  return counted + sql.slice(copied);
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1) : name;
}
