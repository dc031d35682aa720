import { requiredName } from "../../../customers/accounts/accounts.ts";
import type { Actor } from "../../../customers/audit/audit-log.ts";
import { ABILITIES, type Ability } from "../../../customers/operator-keys/operator-keys.table.ts";
import { AppError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import * as shape from "../../../values/schema.ts";
import { checkedText, type Parameter, required, textList } from "../../parameters.ts";
import type { OperatorServices } from "../resource.ts";
import { findNamed, inPart, lastDay, list, resource, verb } from "../resource.ts";

const fields = {
  id: shape.integer("Number of the key"),
  name: shape.text(),
  prefix: shape.text("Its first characters"),
  can: shape.list(shape.choice(ABILITIES, {}), "What it may do"),
  created_at: shape.optionalInstant("When it was created"),
  expires_at: shape.optionalInstant("When it expires; null: never"),
  revoked_at: shape.optionalInstant("When it was revoked; null: it was not"),
};
const keyRows = shape.rows("OperatorKey", fields);
const newKeyRows = shape.rows("NewOperatorKey", {
  ...fields,
  key: shape.text("The key, which is shown only once"),
});

const READ: Ability[] = ["read"];

export const operatorKeys = resource({
  name: "operator key",
  command: "staff key",
  area: "system",
  title: "keys of the operator's API",
  schema: keyRows.schema,
  hint: "its number, prefix or name",
  find: findKey,
  verbs: [
    verb({
      name: "create",
      on: "none",
      title: "create a key of the operator's API, which is shown only once",
      args: {
        name: required(checkedText("Its name.", { example: "billing" }, requiredName)),
        can: abilities(),
        expires: lastDay("Last day it works, in Moscow; by default it does not expire."),
      },
      result: newKeyRows.schema,
      async run({ name, can = READ, expires = null }, { services, by }) {
        requireAbilities(by, can);
        const given = { name, can, expiresAt: expires };
        const { key, token } = await services.operatorKeys.create(given, by);
        return newKeyRows.row({ ...key, key: token });
      },
      async unseen(made, { services, by }) {
        await services.operatorKeys.revoke(Number(made["id"]), by);
        return `Nobody saw key ${made["id"]}, so it was revoked: create another one.`;
      },
    }),
    list({
      title: "list the keys of the operator's API",
      run: async (_args, { services, part }) =>
        inPart(await services.operatorKeys.list(), part).map(keyRows.row),
    }),
    verb({
      name: "revoke",
      title: "revoke a key of the operator's API, which stops working at once",
      run: async (_args, { services, id, by }) =>
        keyRows.row(await services.operatorKeys.revoke(id, by)),
    }),
  ],
});

/** A key gives nobody more than it may do itself. @throws AppError `permission_denied` */
export function requireAbilities({ can }: Actor, wanted: readonly Ability[]): void {
  const beyond = wanted.find((ability) => can?.includes(ability) === false);
  if (beyond === undefined) return;
  throw new AppError("permission_denied", message("operatorKeyMayNot", { ability: beyond }));
}

function abilities(): Parameter<Ability[]> {
  const list = textList(
    `What it may do: ${ABILITIES.join(", ")}, separated by commas; by default only read.`,
    { example: "read,customers", itemsMax: ABILITIES.length },
  );
  return {
    in: "query",
    required: false,
    schema: list.schema,
    isList: true,
    read(given) {
      const read = list.read(given);
      if ("fault" in read) return read;
      const wrong = read.value.find((one) => !(ABILITIES as readonly string[]).includes(one));
      return wrong === undefined
        ? { value: ABILITIES.filter((one) => read.value.includes(one)) }
        : { fault: message("notChoiceOf", { given: wrong, options: ABILITIES }) };
    },
  };
}

function findKey(text: string, { operatorKeys }: OperatorServices): Promise<number> {
  const named = async (wanted: string) =>
    (await operatorKeys.list()).filter(({ prefix, name }) => prefix === wanted || name === wanted);
  return findNamed("operator key", text, named, ({ prefix }) => `${prefix}…`);
}
