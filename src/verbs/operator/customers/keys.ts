import { KEY_ACCESSES } from "../../../customers/keys/key-token.ts";
import * as shape from "../../../values/schema.ts";
import { flag, text, withDefault } from "../../parameters.ts";
import type { OperatorServices } from "../resource.ts";
import { findNamed, inPart, lastDay, list, reference, resource, verb } from "../resource.ts";
import { members } from "./members.ts";
import { organizations, revokeUnseen } from "./organizations.ts";

const fields = {
  id: shape.integer("Number of the key"),
  member: shape.property("memberId", shape.integer("Number of the member it belongs to")),
  name: shape.text(),
  prefix: shape.text("Its first characters"),
  access: shape.choice(KEY_ACCESSES, "Whether it may change webhooks and alerts"),
  created_at: shape.optionalInstant("When it was created"),
  last_used_at: shape.optionalInstant("Last use, to the minute; null: never"),
  expires_at: shape.optionalInstant("When it expires; null: never"),
  revoked_at: shape.optionalInstant("When it was revoked; null: it was not"),
};
const keyRows = shape.rows("Key", fields);
const newKeyRows = shape.rows("NewKey", {
  ...fields,
  key: shape.text("The key, which is shown only once"),
});

export const keys = resource({
  name: "key",
  area: "customers",
  title: "API keys",
  schema: keyRows.schema,
  hint: "its number, prefix or name",
  find: findKey,
  verbs: [
    verb({
      name: "create",
      on: "none",
      title: "create a key, which is shown only once",
      args: {
        member: reference(members, "Number of the member it belongs to."),
        name: withDefault(text("Its name.", { example: "production" }), ""),
        write: withDefault(flag("Create a read-and-write key."), false),
        expires: lastDay("Last day it works, in Moscow; by default it does not expire."),
      },
      result: newKeyRows.schema,
      async run({ member, name, write, expires = null }, { services, by }) {
        const access = write ? "read_write" : "read_only";
        const given = { memberId: member, name, access, expiresAt: expires } as const;
        const { key, token } = await services.keys.createKey(given, by);
        return newKeyRows.row({ ...key, key: token });
      },
      unseen: revokeUnseen,
    }),
    list({
      title: "list the keys of an organization",
      args: { organization: reference(organizations, "The organization's number.") },
      positional: ["organization"],
      run: async ({ organization }, { services, part }) =>
        inPart(await services.keys.keys(organization), part).map(keyRows.row),
    }),
    verb({
      name: "revoke",
      title: "revoke a key, which stops working at once",
      run: async (_args, { services, id, by }) =>
        keyRows.row(await services.keys.revokeKey(id, by)),
    }),
  ],
});

function findKey(text: string, { keys }: OperatorServices): Promise<number> {
  return findNamed("key", text, keys.named, ({ prefix }) => `${prefix}…`);
}
