/** `INSERT` of a row by the names of its columns. @param names of columns, never of anybody's making but ours */
export function insertSql(table: string, names: readonly string[]): string {
  const values = names.map((name) => `@${name}`);
  return `INSERT INTO ${table} (${names.join(", ")}) VALUES (${values.join(", ")})`;
}

/** `UPDATE` of the row with an id. */
export function updateSql(table: string, names: readonly string[]): string {
  const values = names.filter((name) => name !== "id").map((name) => `${name} = @${name}`);
  return `UPDATE ${table} SET ${values.join(", ")} WHERE id = @id`;
}
