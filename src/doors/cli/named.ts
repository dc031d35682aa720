import type { Organization } from "../../customers/accounts/accounts.table.ts";
import type { Accounts } from "../../customers/accounts/accounts.ts";
import type { Keys } from "../../customers/keys/keys.ts";
import type { StaffWebhooks } from "../../push/webhooks/manage/staff-webhooks.ts";
import { parseNumber } from "../../values/parse-number.ts";
import { CommandExit, EXIT_FAILED, EXIT_USAGE, type Output } from "./command-context.ts";

/**
 * Looks things up by name, as an alternative to the numbers in lists. A number takes precedence over a name
 * made of digits; each function throws a CommandExit if nothing has the name, or several things do.
 */

/** Descriptions, for help texts, of arguments that are looked up. */
export const ORGANIZATION = "its number or name";
export const MEMBER = "their number or e-mail address";
export const KEY = "its number, prefix or name";
export const WEBHOOK = "its number or address";
export const SOURCE = "its number or name";

export async function organizationNamed(accounts: Accounts, text: string): Promise<Organization> {
  const all = await accounts.organizations();
  const named = withName(all, text);
  const isOneOf = all.some(({ id }) => id === Number(text));
  if (isNumber(text) && (isOneOf || named.length === 0)) return accounts.organization(Number(text));
  return only("organization", text, named, ({ id, name }) => `${id} (${name})`);
}

/** Notes other organizations with the same name, if there are any. */
export async function noteNamesakes(
  { note }: Output,
  accounts: Accounts,
  { id, name }: Organization,
): Promise<void> {
  const others = withName(await accounts.organizations(), name).filter((other) => other.id !== id);
  if (others.length === 0) return;
  const numbers = [...others.map((other) => other.id), id].toSorted((a, b) => a - b).join(", ");
  note(`Several organizations have this name, and commands need their numbers: ${numbers}.`);
}

function withName(all: readonly Organization[], text: string): Organization[] {
  const wanted = text.trim().toLowerCase();
  return all.filter(({ name }) => name.toLowerCase() === wanted);
}

/** @returns number of the member */
export async function memberNamed(accounts: Accounts, text: string): Promise<number> {
  if (isNumber(text)) return Number(text);
  const places = (await accounts.allMembershipsOf(text.trim())).map(({ member, organization }) => {
    return { id: member.id, name: organization.name };
  });
  return only("member", text, places, ({ id, name }) => `${id} (of ${name})`).id;
}

/** @returns number of the key */
export async function keyNamed(keys: Keys, text: string): Promise<number> {
  if (isNumber(text)) return Number(text);
  const found = await keys.named(text.trim());
  return only("key", text, found, ({ id, prefix }) => `${id} (${prefix}…)`).id;
}

/** @returns number of the webhook */
export async function webhookNamed(webhooks: StaffWebhooks, text: string): Promise<number> {
  if (isNumber(text)) return Number(text);
  const found = (await webhooks.webhooks(null)).filter(({ url }) => url === text.trim());
  return only("webhook", text, found, ({ id, url }) => `${id} (${url})`).id;
}

const isNumber = (text: string): boolean => parseNumber(text) !== null;

/** The only thing with the name. @throws CommandExit */
function only<Thing>(
  kind: string,
  text: string,
  named: readonly Thing[],
  described: (thing: Thing) => string,
): Thing {
  const [first, ...others] = named;
  const shown = JSON.stringify(text);
  if (first === undefined) throw new CommandExit(EXIT_FAILED, `There is no ${kind} ${shown}.`);
  if (others.length === 0) return first;
  const list = named.map(described).join(", ");
  throw new CommandExit(EXIT_USAGE, `Several are called ${shown}; give the number: ${list}.`);
}
