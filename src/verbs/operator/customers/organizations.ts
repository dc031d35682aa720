import type { Organization } from "../../../customers/accounts/accounts.table.ts";
import { optionalName, requiredEmail, requiredName } from "../../../customers/accounts/accounts.ts";
import type { PlanCode } from "../../../customers/accounts/plan.ts";
import { PLAN_CODES, periodAt, planInForce } from "../../../customers/accounts/plan.ts";
import { type UsagePosition, usageSchema } from "../../../customers/limits/usage-history.ts";
import { ABILITIES } from "../../../customers/operator-keys/operator-keys.table.ts";
import { fieldError } from "../../../errors.ts";
import { parseNumber } from "../../../values/fields.ts";
import { jsonValueOf } from "../../../values/json-text.ts";
import { message } from "../../../values/messages/messages.ts";
import { dayOf, formatInstant, parseDay } from "../../../values/moscow-time.ts";
import * as shape from "../../../values/schema.ts";
import type { Position } from "../../paging.ts";
import type { Parameter } from "../../parameters.ts";
import { checkedText, flag, required, text, withDefault } from "../../parameters.ts";
import { periodDays, readPeriod } from "../../period.ts";
import type { OperatorServices, Row, Use } from "../resource.ts";
import { lastDay, list, numberBefore, oneOf, onlyOne, resource, show, verb } from "../resource.ts";
import { requireAbilities } from "../system/operator-keys.ts";

export const planCode = (description: string): Parameter<string> =>
  text(`${description}: ${PLAN_CODES.join(", ")}, or one that was added.`, { example: "start" });

/** Names a plan that there is. */
export const planNamed = (description: string): Parameter<string> =>
  oneOf(planCode(description), async ({ accounts }) =>
    (await accounts.plans()).map(({ code }) => code),
  );

const plan = planNamed("Its plan");
const name = checkedText("Its name.", { example: "Acme" }, requiredName);

/** An organization with the plan in force, and what it has used of it. */
const fields = {
  id: shape.integer("Its number"),
  name: shape.text(),
  plan: shape.text("Code of the plan in force"),
  plan_ends_at: shape.optionalInstant("When the plan ends, or ended; null: never"),
  period_ends_at: shape.optionalInstant("When the period of its quota ends"),
  used: shape.count("Units used in this period"),
  quota: shape.count("Units that the plan in force includes in a period"),
  created_at: shape.instant("When it was created"),
  archived_at: shape.optionalInstant("When it was archived; null: it is not"),
};
const organizationRows = shape.rows("Organization", fields);

const ownerRows = shape.rows("Owner", {
  member: shape.integer("Number of the owner"),
  key_id: shape.integer("Number of the owner's key"),
  key: shape.text("The key, which is shown only once"),
  link: shape.nullable(shape.text("Where the owner chooses a password; null if they have one")),
});

/** The owner's fields are there if it was created with one. */
const newOrganization = {
  ...shape.object(
    { ...organizationRows.schema.properties, ...ownerRows.schema.properties },
    "NewOrganization",
  ),
  required: Object.keys(fields),
};

export const organizations = resource({
  name: "organization",
  command: "org",
  area: "customers",
  title: "organizations",
  schema: organizationRows.schema,
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
        owner: checkedText(
          "E-mail address of its owner, who gets a key.",
          { example: "ada@example.com" },
          requiredEmail,
        ),
        owner_name: withDefault(
          checkedText("The owner's name.", { example: "Ada" }, optionalName),
          "",
        ),
        write: withDefault(flag("Create a read-and-write key."), false),
        same_name: withDefault(
          flag("Create it even if another organization has this name."),
          false,
        ),
      },
      result: newOrganization,
      async run({ owner, owner_name: ownerName, same_name: isSameName, ...given }, use) {
        if (!isSameName) await requireNewName(given.name, use);
        return owner === undefined
          ? createAlone(given, use)
          : createCustomer({ ...given, owner: { email: owner, name: ownerName } }, use);
      },
      unseen: revokeUnseen,
    }),
    list({
      title: "list all organizations",
      args: { q: text("Part of its name or number.", { example: "acme" }) },
      async run({ q = "" }, { services, nowMs, part }) {
        const after = numberBefore(part) ?? 0;
        const found = await services.findOrganizations({ q, after, limit: part.limit });
        return Promise.all(found.map((one) => rowOf(one, { services, nowMs })));
      },
    }),
    show({
      title: "show an organization, its plan and usage",
      run: async (_args, use) => rowOf(await use.services.accounts.organization(use.id), use),
    }),
    verb({
      name: "plan",
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
      name: "usage",
      isRead: true,
      rows: ["day", "method", "key"],
      title: "list an organization's requests and units by day, method and key",
      args: periodDays,
      result: usageSchema,
      async run(given, { services, id: organizationId, nowMs, part: { after, limit } }) {
        await services.accounts.organization(organizationId);
        const { from, to } = readPeriod(given, dayOf(nowMs));
        const page = await services.usageHistory.page({
          ...{ organizationId, from, to, limit },
          after: after && usagePosition(after),
        });
        return jsonValueOf(page.results);
      },
    }),
    verb({
      name: "archive",
      title: "archive an organization: its keys stop working",
      run: async (_args, use) =>
        rowOf(await use.services.accounts.archiveOrganization(use.id, use.by), use),
    }),
    verb({
      name: "restore",
      title: "restore an archived organization",
      run: async (_args, use) =>
        rowOf(await use.services.accounts.restoreOrganization(use.id, use.by), use),
    }),
  ],
});

async function rowOf(
  organization: Organization,
  { services: { accounts, usage }, nowMs }: Pick<Use, "services" | "nowMs">,
) {
  const { plan, startedAt } = planInForce(organization, nowMs);
  const { requestsPerPeriod: quota } = await accounts.plan(plan);
  const period = periodAt(startedAt, nowMs);
  const used = usage.used(organization.id, period.startedAt);
  return organizationRows.row({ ...organization, plan, used, quota, periodEndsAt: period.endsAt });
}

/** A row's place, of which the first is the day as it is shown. */
function usagePosition([day, method, key]: Position): UsagePosition {
  return [parseDay(String(day)) ?? 0, String(method), Number(key)];
}

interface NewOrganization {
  name: string;
  plan: PlanCode;
}

async function createAlone({ name, plan }: NewOrganization, use: Use): Promise<Row> {
  const made = await use.services.accounts.createOrganization({ name, plan }, use.by);
  return rowOf(made, use);
}

async function createCustomer(
  {
    name: organization,
    plan,
    owner,
    write,
  }: NewOrganization & { owner: { email: string; name: string }; write: boolean },
  use: Use,
): Promise<Row> {
  const key = { name: "First key", access: write ? "read_write" : "read_only" } as const;
  const customer = { organization, plan, ...owner, key } as const;
  const invited = await withAccount(owner, use, () =>
    use.services.keys.createCustomer(customer, use.by),
  );
  const { made, token } = invited.made;
  return {
    ...(await rowOf(made.organization, use)),
    ...ownerRows.row({
      member: made.owner.id,
      keyId: made.key.id,
      key: token,
      link: invited.link,
    }),
  };
}

/** @throws AppError `invalid` on `name` if another organization has it: commands would then need numbers */
async function requireNewName(name: string, { services }: Use): Promise<void> {
  const [found] = await services.accounts.organizationsNamed(name);
  if (found !== undefined)
    throw fieldError({ name: [message("organizationNameTaken", { number: found.id })] });
}

/** A number takes precedence over a name made of digits. */
async function findOrganization(text: string, { accounts }: OperatorServices): Promise<number> {
  const named = await accounts.organizationsNamed(text);
  const number = parseNumber(text);
  if (number !== null && (named.length === 0 || (await accounts.isOrganization(number))))
    return number;
  return onlyOne("organization", text, named, ({ name }) => name);
}

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
  { services: { people }, linkTo, by }: Pick<Use, "services" | "linkTo" | "by">,
  make: () => Promise<Made>,
): Promise<{ email: string; made: Made; link: string | null }> {
  const { person: known, ...kept } = await people.ensurePerson(person);
  const { email } = known;
  // Whoever chooses the password of somebody on staff can do all that they can.
  if (known.isStaff && !(kept.hasPassword && known.isVerified)) requireAbilities(by, ABILITIES);
  const hasPassword = await people.removeUnverifiedPassword(email);
  const made = await make();
  const token = hasPassword ? null : await people.passwordLink({ email, isTrusted: true });
  return { email, made, link: token && linkTo(token) };
}
