const TEXT_OR_PARAMETER = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[?@]\w*/g;

/**
 * The same statement with a plus before each parameter. SQLite's planner looks at the values of bare
 * parameters, and plans the statement anew whenever another value is bound, which takes three to
 * fifteen times as long as finding a row; what stands behind a plus it does not look at.
 */
export function plannedOnce(sql: string): string {
  return sql.replace(TEXT_OR_PARAMETER, (part) => (/^[?@]/.test(part) ? `+${part}` : part));
}
