import type { Organization } from "../../customers/accounts/accounts.table.ts";
import { requiredEmail } from "../../customers/accounts/accounts.ts";
import { PLAN_CODES, type PlanCode, periodAt, planInForce } from "../../customers/accounts/plan.ts";
import { parseNumber } from "../../values/fields.ts";
import { message } from "../../values/messages/messages.ts";
import { formatInstant } from "../../values/moscow-time.ts";
import { optionalInstant, rows } from "../../values/rows.ts";
import {
  choiceSchema,
  countSchema,
  integerSchema,
  nullable,
  objectSchema,
  textSchema,
} from "../../values/schema.ts";
import { choice, flag, required, text, withDefault } from "../parameters.ts";
import {
  inPart,
  lastDay,
  numberId,
  type OperatorServices,
  onlyOne,
  type Resource,
  type Row,
  type Use,
  verb,
} from "./resource.ts";
import { revokeUnseen } from "./unseen-key.ts";

const plan = choice(PLAN_CODES, "Its plan.");
const name = text({ description: "Its name.", example: "Acme" });

/** An organization with the plan in force, and what it has used of it. */
const fields = {
  id: integerSchema({ description: "Its number" }),
  name: textSchema(),
  plan: choiceSchema(PLAN_CODES, { description: "The plan in force" }),
  plan_ends_at: optionalInstant("When the plan ends, or ended; null: never"),
  period_ends_at: optionalInstant("When the period of its quota ends"),
  used: countSchema("Units used in this period"),
  archived_at: optionalInstant("When it was archived; null: it is not"),
};
const organizationRows = rows("Organization", fields);

const ownerRows = rows("Owner", {
  member: integerSchema({ description: "Number of the owner" }),
  key_id: integerSchema({ description: "Number of the owner's key" }),
  key: textSchema({ description: "The key, which is shown only once" }),
  link: nullable(
    textSchema({ description: "Where the owner chooses a password; null if they have one" }),
  ),
});

/** The owner's fields are there if it was created with one. */
const newOrganization = {
  ...objectSchema(
    { ...organizationRows.schema.properties, ...ownerRows.schema.properties },
    "NewOrganization",
  ),
  required: Object.keys(fields),
};

export const organizations: Resource = {
  name: "organization",
  command: "org",
  path: "organizations",
  area: "customers",
  title: "organizations",
  schema: organizationRows.schema,
  id: numberId,
  hint: "its number or name",
  find: findOrganization,
  verbs: [
    verb({
      name: "create",
      on: "none",
      title: "create an organization; with --owner, also its owner and a key",
      args: {
        name: required(name),
        plan: required(plan),
        owner: text({
          description: "E-mail address of its owner, who gets a key.",
          example: "ada@example.com",
        }),
        write: withDefault(flag({ description: "Create a read-and-write key." }), false),
      },
      result: newOrganization,
      run: ({ owner, ...given }, use) =>
        owner === undefined ? createAlone(given, use) : createCustomer({ ...given, owner }, use),
      unseen: revokeUnseen,
    }),
    verb({
      name: "list",
      on: "none",
      isRead: true,
      rows: "id",
      title: "list all organizations",
      args: { q: text({ description: "Part of its name.", example: "acme" }) },
      async run({ q = "" }, { services, nowMs, part }) {
        const wanted = q.trim().toLowerCase();
        const found = (await services.accounts.organizations()).filter(({ name }) =>
          name.toLowerCase().includes(wanted),
        );
        return inPart(found, part).map((one) => rowOf(one, { services, nowMs }));
      },
    }),
    verb({
      name: "show",
      on: "one",
      isRead: true,
      args: {},
      title: "show an organization, its plan and usage",
      run: async (_args, use) => rowOf(await use.services.accounts.organization(use.id), use),
    }),
    verb({
      name: "plan",
      on: "one",
      title: "change an organization's plan",
      args: {
        plan: required(plan),
        ends: lastDay("Last day of the plan, in Moscow; by default it does not end."),
      },
      positional: ["plan"],
      async run({ plan, ends = null }, use) {
        const { accounts } = use.services;
        const { planEndsAt } = await accounts.organization(use.id);
        const planned = await accounts.givePlan(use.id, plan, ends, use.by);
        if (planEndsAt !== null && planned.planEndsAt === null) {
          use.note(message("planEndGone", { ended: formatInstant(planEndsAt) }));
        }
        return rowOf(planned, use);
      },
    }),
    verb({
      name: "archive",
      on: "one",
      args: {},
      title: "archive an organization: its keys stop working",
      run: async (_args, use) =>
        rowOf(await use.services.accounts.archiveOrganization(use.id, use.by), use),
    }),
    verb({
      name: "restore",
      on: "one",
      args: {},
      title: "restore an archived organization",
      run: async (_args, use) =>
        rowOf(await use.services.accounts.restoreOrganization(use.id, use.by), use),
    }),
  ],
};

function rowOf(organization: Organization, { services, nowMs }: Pick<Use, "services" | "nowMs">) {
  const { plan, startedAt } = planInForce(organization, nowMs);
  const period = periodAt(startedAt, nowMs);
  const used = services.usage.used(organization.id, period.startedAt);
  return organizationRows.row({ ...organization, plan, used, periodEndsAt: period.endsAt });
}

interface NewOrganization {
  name: string;
  plan: PlanCode;
}

async function createAlone({ name, plan }: NewOrganization, use: Use): Promise<Row> {
  const made = await use.services.accounts.createOrganization({ name, plan }, use.by);
  await noteNamesakes(made, use);
  return rowOf(made, use);
}

async function createCustomer(
  { name, plan, owner, write }: NewOrganization & { owner: string; write: boolean },
  use: Use,
): Promise<Row> {
  const { keys, people } = use.services;
  const email = requiredEmail(owner);
  // The person is created before the member, who could not be invited again if this failed.
  await people.ensurePerson({ email, name: "" });
  const hasPassword = await people.removeUnverifiedPassword(email);
  const key = { name: "First key", access: write ? "read_write" : "read_only" } as const;
  const { made, token } = await keys.createCustomer(
    { organization: name, plan, email, name: "", key },
    use.by,
  );
  const link = hasPassword ? null : await people.passwordLink({ email, isTrusted: true });
  await noteNamesakes(made.organization, use);
  return {
    ...rowOf(made.organization, use),
    ...ownerRows.row({
      member: made.owner.id,
      keyId: made.key.id,
      key: token,
      link: link && use.linkTo(link),
    }),
  };
}

/** Notes other organizations of the same name, if there are any: commands then need their numbers. */
async function noteNamesakes({ id, name }: Organization, { services, note }: Use): Promise<void> {
  const others = withName(await services.accounts.organizations(), name).filter(
    (other) => other.id !== id,
  );
  if (others.length === 0) return;
  const numbers = [...others.map((other) => other.id), id].toSorted((a, b) => a - b);
  note(message("organizationNamesakes", { numbers }));
}

function withName(all: readonly Organization[], text: string): Organization[] {
  const wanted = text.trim().toLowerCase();
  return all.filter(({ name }) => name.toLowerCase() === wanted);
}

/** A number takes precedence over a name made of digits. */
async function findOrganization(text: string, { accounts }: OperatorServices): Promise<number> {
  const all = await accounts.organizations();
  const named = withName(all, text);
  const number = parseNumber(text);
  if (number !== null && (named.length === 0 || all.some(({ id }) => id === number))) return number;
  return onlyOne("organization", text, named, ({ name }) => name);
}
