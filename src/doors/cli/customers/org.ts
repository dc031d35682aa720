import { Argument, Command } from "commander";
import type { Domains } from "../../../app/domains.ts";
import type { Organization } from "../../../customers/accounts/accounts.table.ts";
import { type Accounts, requiredEmail } from "../../../customers/accounts/accounts.ts";
import {
  PLAN_CODES,
  type PlanCode,
  periodAt,
  planInForce,
} from "../../../customers/accounts/plan.ts";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import { formatInstant, formatOptionalInstant } from "../../../values/moscow-time.ts";
import { type AsJson, choiceOption, jsonOption, parseLastDay } from "../arguments.ts";
import type { CommandContext } from "../command-context.ts";
import { noteNamesakes, ORGANIZATION, organizationNamed } from "../named.ts";
import type { Printable } from "../print.ts";
import { printResult, withDomains } from "../with-domains.ts";
import { printNewKey } from "./new-key.ts";
import { notePasswordLink, passwordLink } from "./password-link.ts";

/** `kanalog org`: organizations and their plans. */
export function orgCommand(context: CommandContext): Command {
  return new Command("org")
    .description("organizations")
    .addCommand(createCommand(context))
    .addCommand(listCommand(context))
    .addCommand(showCommand(context))
    .addCommand(planCommand(context))
    .addCommand(
      changeCommand(
        context,
        "archive",
        "archiveOrganization",
        "archive an organization: its keys stop working",
      ),
    )
    .addCommand(
      changeCommand(context, "restore", "restoreOrganization", "restore an archived organization"),
    );
}

/** Runs an operation and prints the organization it returns. */
function printOne(
  context: CommandContext,
  options: AsJson,
  verb: (accounts: Accounts) => Promise<Organization>,
): Promise<void> {
  return printResult(context, options, async (domains) =>
    describe(await verb(domains.accounts), domains),
  );
}

function createCommand(context: CommandContext): Command {
  return new Command("create")
    .description("create an organization; with --owner, also its owner and a key")
    .requiredOption("--name <name>", "its name")
    .addOption(choiceOption("--plan <plan>", "its plan", PLAN_CODES).makeOptionMandatory())
    .option("--owner <email>", "e-mail address of its owner, who gets a key")
    .option("--write", "create a read-and-write key; by default it is read-only", false)
    .addOption(jsonOption())
    .action(({ name, plan, owner, write, json }: NewOrganization) =>
      owner === undefined
        ? printOne(context, { json }, async (accounts) => {
            const made = await accounts.createOrganization({ name, plan }, COMMAND_LINE);
            await noteNamesakes(context.output, accounts, made);
            return made;
          })
        : createCustomer(context, { name, plan, owner, write, json }),
    );
}

function listCommand(context: CommandContext): Command {
  return new Command("list")
    .description("list all organizations")
    .addOption(jsonOption())
    .action((options: AsJson) =>
      printResult(context, options, async (domains) => {
        const found = await domains.accounts.organizations();
        return found.map((organization) => describe(organization, domains));
      }),
    );
}

function showCommand(context: CommandContext): Command {
  return new Command("show")
    .description("show an organization, its plan and usage")
    .argument("<organization>", ORGANIZATION)
    .addOption(jsonOption())
    .action((named: string, options: AsJson) =>
      printOne(context, options, (accounts) => organizationNamed(accounts, named)),
    );
}

function planCommand(context: CommandContext): Command {
  return new Command("plan")
    .description("change an organization's plan")
    .argument("<organization>", ORGANIZATION)
    .addArgument(new Argument("<plan>", "its plan").choices(PLAN_CODES))
    .option(
      "--ends <day>",
      "last day of the plan, in Moscow; by default it does not end",
      parseLastDay,
    )
    .addOption(jsonOption())
    .action((named: string, plan: PlanCode, options: { ends?: number } & AsJson) =>
      printOne(context, options, async (accounts) => {
        const { id, planEndsAt } = await organizationNamed(accounts, named);
        const planned = await accounts.givePlan(id, plan, options.ends ?? null, COMMAND_LINE);
        if (planEndsAt !== null && planned.planEndsAt === null) {
          context.output.note(
            `The plan no longer has an end date. It used to end ${formatInstant(planEndsAt)}.`,
          );
        }
        return planned;
      }),
    );
}

function changeCommand(
  context: CommandContext,
  word: string,
  verb: "archiveOrganization" | "restoreOrganization",
  description: string,
): Command {
  return new Command(word)
    .description(description)
    .argument("<organization>", ORGANIZATION)
    .addOption(jsonOption())
    .action((named: string, options: AsJson) =>
      printOne(context, options, async (accounts) => {
        const { id } = await organizationNamed(accounts, named);
        return accounts[verb](id, COMMAND_LINE);
      }),
    );
}

interface NewOrganization extends AsJson {
  name: string;
  plan: PlanCode;
  owner?: string;
  write: boolean;
}

/** Creates a complete customer, and prints what its owner needs: the key, and a link. */
function createCustomer(
  context: CommandContext,
  { name, plan, owner, write, json }: NewOrganization & { owner: string },
): Promise<void> {
  return withDomains(context, async (domains) => {
    const { keys, people } = domains;
    const email = requiredEmail(owner);
    const access = write ? "read_write" : "read_only";
    // The person is created before the member, who could not be invited again if this failed.
    await people.ensure({ email, name: "" });
    const hasPassword = await people.removeUnverifiedPassword(email);
    const { made, token } = await keys.createCustomer(
      { organization: name, plan, email, name: "", key: { name: "First key", access } },
      COMMAND_LINE,
    );
    const link = hasPassword ? null : await people.passwordLink(email);
    const printed = {
      ...describe(made.organization, domains),
      member: made.owner.id,
      key_id: made.key.id,
      key: token,
      link: link && passwordLink(context, link),
    };
    await printNewKey(context.output, keys, made.key.id, printed, json);
    if (link !== null) notePasswordLink(context, "The owner");
    await noteNamesakes(context.output, domains.accounts, made.organization);
  });
}

function describe(organization: Organization, { usage, clock }: Domains): Printable {
  const nowMs = clock.now();
  const inForce = planInForce(organization, nowMs);
  const period = periodAt(inForce.startedAt, nowMs);
  return {
    id: organization.id,
    name: organization.name,
    plan: inForce.plan,
    plan_ends_at: formatOptionalInstant(organization.planEndsAt),
    period_ends_at: formatOptionalInstant(period.endsAt),
    used: usage.used(organization.id, period.startedAt),
    archived_at: formatOptionalInstant(organization.archivedAt),
  };
}
