import type { Row, Use } from "./resource.ts";

/** Revokes a new key that could not be shown: nobody knows it. @returns what was done, for a person */
export async function revokeUnseen(made: Row, { services, by }: Use): Promise<string> {
  const id = Number(made["key_id"] ?? made["id"]);
  await services.keys.revokeKey(id, by);
  return `Nobody saw key ${id}, so it was revoked: create another one.`;
}

/**
 * Makes something for a person who can sign in afterwards. Their account comes first, because a member could
 * not be invited again if it failed.
 * @returns also where they choose a password; null if they have one
 */
export async function withAccount<Made>(
  person: { email: string; name: string },
  { services: { people }, linkTo }: Pick<Use, "services" | "linkTo">,
  make: () => Promise<Made>,
): Promise<{ email: string; made: Made; link: string | null }> {
  const { email } = (await people.ensurePerson(person)).person;
  const hasPassword = await people.removeUnverifiedPassword(email);
  const made = await make();
  const token = hasPassword ? null : await people.passwordLink({ email, isTrusted: true });
  return { email, made, link: token && linkTo(token) };
}
