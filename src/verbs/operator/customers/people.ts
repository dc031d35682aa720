import { optionalName, requiredEmail } from "../../../customers/accounts/accounts.ts";
import { ABILITIES } from "../../../customers/operator-keys/operator-keys.table.ts";
import type { PersonAccount } from "../../../customers/people/people.store.ts";
import { notFound } from "../../../errors.ts";
import * as shape from "../../../values/schema.ts";
import { checkedText, inPath, required, text, withDefault } from "../../parameters.ts";
import { list, type OperatorServices, resource, show, verb } from "../resource.ts";
import { requireAbilities } from "../system/operator-keys.ts";
import { withAccount } from "./organizations.ts";

const fields = {
  id: shape.text("Their id"),
  email: shape.text(),
  name: shape.text(),
  organizations: shape.list(shape.integer(), "Numbers of those they belong to"),
  is_staff: shape.flag("Whether they may use staff's console"),
  has_password: shape.flag("Whether they have chosen a password"),
  sessions: shape.count("How many of their sessions are open"),
};
const personRows = shape.rows("Person", fields);
const link = shape.text("Where they choose a password; null if somebody who became staff has one");
const linkSchema = shape.rows("PersonWithLink", { ...fields, link: shape.nullable(link) }).schema;

/** Parts that both resources of people share: commands and requests name one by their address. */
const named = {
  area: "system",
  schema: personRows.schema,
  id: inPath(text("Their e-mail address or id.", { example: "ada@example.com" })),
  hint: "their e-mail address",
  find: async (key: string) => key.trim(),
} as const;

export const people = resource({
  ...named,
  name: "person",
  path: "people",
  title: "people who can sign in",
  verbs: [
    list({
      rows: ["email"],
      title: "list people, by e-mail address",
      args: { q: text("Part of their address or name.", { example: "ada@" }) },
      async run({ q = "" }, { services, part: { after, limit } }) {
        const found = await services.people.accounts({ q, after: String(after?.[0] ?? ""), limit });
        return Promise.all(found.map((one) => rowOf(one, services)));
      },
    }),
    show<string>({
      title: "show a person, their organizations and sessions",
      run: async (_args, { services, id }) => rowOf(await personOf(id, services), services),
    }),
    verb<Record<never, never>, string>({
      name: "link",
      title: "create a link with which a person chooses a password, once",
      result: linkSchema,
      async run(_args, { services, id, by, linkTo }) {
        requireAbilities(by, ABILITIES);
        const { email } = await personOf(id, services);
        const change = { by, action: "person.password-link", id: email } as const;
        const token = await services.people.passwordLink({ email, isTrusted: true, change });
        return withLink(email, token && linkTo(token), services);
      },
    }),
    verb<Record<never, never>, string>({
      name: "end-sessions",
      title: "sign a person out everywhere",
      async run(_args, { services, id, by }) {
        const { email } = await personOf(id, services);
        await services.people.endSessions({ email, by });
        return rowOf(await personOf(email, services), services);
      },
    }),
  ],
});

/** Whoever may make staff may do everything: a key needs all abilities for it. */
export const staff = resource({
  ...named,
  name: "staff",
  path: "staff",
  title: "people who may use the operator's console",
  verbs: [
    verb({
      name: "add",
      on: "none",
      title: "make somebody staff, with a link if they have no password yet",
      args: {
        email: required(
          checkedText("Their address.", { example: "ada@example.com" }, requiredEmail),
        ),
        name: withDefault(
          checkedText("Their name, if they are new.", { example: "Ada" }, optionalName),
          "",
        ),
      },
      positional: ["email"],
      result: linkSchema,
      async asks({ email }, { services }) {
        const [place] = await services.accounts.allMembershipsOf(email);
        if (place === undefined) return null;
        return `${email} belongs to the customer ${place.organization.name}. Staff see and change all customers.`;
      },
      async run(person, use) {
        const { services, by } = use;
        requireAbilities(by, ABILITIES);
        const { email, link } = await withAccount(person, use, () =>
          services.people.markStaff({ email: person.email, isStaff: true, by }),
        );
        return withLink(email, link, services);
      },
    }),
    verb<Record<never, never>, string>({
      name: "remove",
      title: "remove somebody from staff; their account stays",
      async run(_args, { services, id, by }) {
        const { email } = await personOf(id, services);
        await services.people.markStaff({ email, isStaff: false, by });
        return rowOf(await personOf(email, services), services);
      },
    }),
  ],
});

/** @throws AppError `not_found` */
async function personOf(key: string, { people }: OperatorServices): Promise<PersonAccount> {
  const found = await people.account(key);
  if (found === undefined) throw notFound("person", key);
  return found;
}

async function rowOf(account: PersonAccount, { accounts }: OperatorServices) {
  const places = await accounts.allMembershipsOf(account.email);
  const organizations = places.map(({ organization }) => organization.id);
  return personRows.row({ ...account, organizations });
}

async function withLink(email: string, link: string | null, services: OperatorServices) {
  return { ...(await rowOf(await personOf(email, services), services)), link };
}
