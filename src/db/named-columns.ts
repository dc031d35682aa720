/** `INSERT` of a row by column names. @param names from the program itself, never from input */
export function insertSql(table: string, names: readonly string[]): string {
  const values = names.map((name) => `@${name}`);
  return `INSERT INTO ${table} (${names.join(", ")}) VALUES (${values.join(", ")})`;
}

/** `UPDATE` of the row with an id. */
export function updateSql(table: string, names: readonly string[]): string {
  const values = names.filter((name) => name !== "id").map((name) => `${name} = @${name}`);
  return `UPDATE ${table} SET ${values.join(", ")} WHERE id = @id`;
}
