/** The schema with named schemas replaced by references. */
export function withReferences<T>(schema: T): T | object {
  if (Array.isArray(schema)) return schema.map(withReferences);
  if (typeof schema !== "object" || schema === null) return schema;
  const { $id } = schema as { $id?: string };
  if ($id !== undefined) return { $ref: `#/components/schemas/${$id}` };
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, withReferences(value)]),
  );
}

/** Named schemas within a schema, by name. */
export function namedSchemas(schema: unknown): Record<string, object> {
  if (typeof schema !== "object" || schema === null) return {};
  const { $id, ...rest } = schema as { $id?: string };
  const inner = Object.assign({}, ...Object.values(rest).map(namedSchemas));
  return $id === undefined ? inner : { ...inner, [$id]: withReferences(rest) as object };
}
