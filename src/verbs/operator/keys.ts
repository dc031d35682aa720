import { KEY_ACCESSES } from "../../customers/keys/key-token.ts";
import type { Key } from "../../customers/keys/keys.table.ts";
import { parseNumber } from "../../values/parse-number.ts";
import { choiceSchema, integerSchema, textSchema } from "../../values/schema.ts";
import { flag, text, withDefault } from "../parameters.ts";
import { members } from "./members.ts";
import { organizations } from "./organizations.ts";
import {
  field,
  instant,
  lastDay,
  numberId,
  type OperatorServices,
  onlyOne,
  type Resource,
  reference,
  rowsOf,
  verb,
} from "./resource.ts";
import { revokeUnseen } from "./unseen-key.ts";

const fields = {
  id: field<Key>(integerSchema({ description: "Number of the key" }), ({ id }) => id),
  member: field<Key>(
    integerSchema({ description: "Number of the member it belongs to" }),
    ({ memberId }) => memberId,
  ),
  name: field<Key>(textSchema(), ({ name }) => name),
  prefix: field<Key>(textSchema({ description: "Its first characters" }), ({ prefix }) => prefix),
  access: field<Key>(
    choiceSchema(KEY_ACCESSES, { description: "Whether it may change webhooks and alerts" }),
    ({ access }) => access,
  ),
  created_at: instant<Key>("When it was created", ({ createdAt }) => createdAt),
  last_used_at: instant<Key>(
    "Last use, to the minute; null: never",
    ({ lastUsedAt }) => lastUsedAt,
  ),
  expires_at: instant<Key>("When it expires; null: never", ({ expiresAt }) => expiresAt),
  revoked_at: instant<Key>("When it was revoked; null: it was not", ({ revokedAt }) => revokedAt),
};
const keyRows = rowsOf("Key", fields);
const newKeyRows = rowsOf<Key & { token: string }>("NewKey", {
  ...fields,
  key: field(textSchema({ description: "The key, which is shown only once" }), (key) => key.token),
});

/** Customers' API keys. */
export const keys: Resource = {
  name: "key",
  command: "key",
  path: "keys",
  area: "customers",
  title: "API keys",
  schema: keyRows.schema,
  id: numberId,
  hint: "its number, prefix or name",
  find: findKey,
  verbs: [
    verb({
      name: "create",
      on: "none",
      title: "create a key, which is shown only once",
      args: {
        member: reference(members, "Number of the member it belongs to."),
        name: withDefault(text({ description: "Its name.", example: "production" }), ""),
        write: withDefault(flag({ description: "Create a read-and-write key." }), false),
        expires: lastDay("Last day it works, in Moscow; by default it does not expire."),
      },
      result: newKeyRows.schema,
      async run({ member, name, write, expires = null }, { services, by }) {
        const access = write ? "read_write" : "read_only";
        const given = { memberId: member, name, access, expiresAt: expires } as const;
        const { key, token } = await services.keys.createKey(given, by);
        return newKeyRows.row({ ...key, token });
      },
      unseen: revokeUnseen,
    }),
    verb({
      name: "list",
      on: "none",
      isRead: true,
      rows: "id",
      title: "list the keys of an organization",
      args: { organization: reference(organizations, "The organization's number.") },
      positional: ["organization"],
      async run({ organization }, { services, part: { after, limit } }) {
        const found = (await services.keys.keys(organization)).filter(
          ({ id }) => id > (after ?? 0),
        );
        return found.slice(0, limit).map(keyRows.row);
      },
    }),
    verb({
      name: "revoke",
      on: "one",
      args: {},
      title: "revoke a key, which stops working at once",
      run: async (_args, { services, id, by }) =>
        keyRows.row(await services.keys.revokeKey(id, by)),
    }),
  ],
};

async function findKey(text: string, { keys }: OperatorServices): Promise<number> {
  const number = parseNumber(text);
  if (number !== null) return number;
  return onlyOne("key", text, await keys.named(text.trim()), ({ prefix }) => `${prefix}…`);
}
