import type { Row, Use } from "./resource.ts";

/** Revokes a new key that could not be shown: nobody knows it. @returns what was done, for a person */
export async function revokeUnseen(made: Row, { services, by }: Use): Promise<string> {
  const id = Number(made["key_id"] ?? made["id"]);
  await services.keys.revokeKey(id, by);
  return `Nobody saw key ${id}, so it was revoked: create another one.`;
}
