import { Command } from "commander";
import type { Domains } from "../../../app/domains.ts";
import type { Organization } from "../../../customers/accounts/accounts.table.ts";
import type { Accounts } from "../../../customers/accounts/accounts.ts";
import {
  PLAN_CODES,
  type PlanCode,
  periodAt,
  planInForce,
} from "../../../customers/accounts/plan.ts";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import { formatInstant } from "../../../values/moscow-time.ts";
import { choiceOption, jsonOption, parseId, parseLastDay } from "../arguments.ts";
import { type CommandContext, CommandExit, EXIT_USAGE } from "../command-context.ts";
import { instantCell, type Printable, printList, printObject } from "../print.ts";
import { withDomains } from "../with-domains.ts";

/** `kanalog org`: organizations and their plans. */
export function orgCommand(context: CommandContext): Command {
  const command = new Command("org").description("organizations");
  const { output } = context;

  /** Runs a verb and prints the organization it returns. */
  const printing = async (
    asJson: boolean,
    verb: (accounts: Accounts) => Promise<Organization>,
  ): Promise<void> => {
    await withDomains(context, async (domains) => {
      const organization = await verb(domains.accounts);
      printObject(output, describe(organization, domains), asJson);
    });
  };

  command
    .command("create")
    .description("make an organization")
    .requiredOption("--name <name>", "its name")
    .addOption(choiceOption("--plan <plan>", "its plan", PLAN_CODES).makeOptionMandatory())
    .addOption(jsonOption())
    .action(({ name, plan, json }: { name: string; plan: PlanCode; json?: boolean }) =>
      printing(json === true, (accounts) =>
        accounts.createOrganization({ name, plan }, COMMAND_LINE),
      ),
    );

  command
    .command("list")
    .description("all organizations")
    .addOption(jsonOption())
    .action(({ json }: { json?: boolean }) =>
      withDomains(context, async (domains) => {
        const found = await domains.accounts.organizations();
        const rows = found.map((organization) => describe(organization, domains));
        printList(output, rows, json === true);
      }),
    );

  command
    .command("show")
    .description("an organization, its plan and usage")
    .argument("<organization>", "its number", parseId)
    .addOption(jsonOption())
    .action((id: number, { json }: { json?: boolean }) =>
      printing(json === true, (accounts) => accounts.organization(id)),
    );

  command
    .command("plan")
    .description("give an organization a plan")
    .argument("<organization>", "its number", parseId)
    .argument("<plan>", PLAN_CODES.join(", "))
    .option(
      "--ends <day>",
      "last day of the plan, in Moscow; without end where not given",
      parseLastDay,
    )
    .addOption(jsonOption())
    .action((id: number, plan: string, options: { ends?: number; json?: boolean }) => {
      const code = PLAN_CODES.find((known) => known === plan);
      if (code === undefined) {
        throw new CommandExit(EXIT_USAGE, `There is no plan ${plan}: ${PLAN_CODES.join(", ")}.`);
      }
      return printing(options.json === true, async (accounts) => {
        const { planEndsAt } = await accounts.organization(id);
        const planned = await accounts.givePlan(id, code, options.ends ?? null, COMMAND_LINE);
        if (planEndsAt !== null && planned.planEndsAt === null) {
          output.note(
            `The plan has no end any more; before, it ended ${formatInstant(planEndsAt)}.`,
          );
        }
        return planned;
      });
    });

  for (const [name, verb, description] of [
    ["archive", "archiveOrganization", "archive an organization: its keys stop working"],
    ["restore", "restoreOrganization", "take an organization out of the archive"],
  ] as const) {
    command
      .command(name)
      .description(description)
      .argument("<organization>", "its number", parseId)
      .addOption(jsonOption())
      .action((id: number, { json }: { json?: boolean }) =>
        printing(json === true, (accounts) => accounts[verb](id, COMMAND_LINE)),
      );
  }
  return command;
}

function describe(organization: Organization, { usage, clock }: Domains): Printable {
  const nowMs = clock.now();
  const inForce = planInForce(organization, nowMs);
  const period = periodAt(inForce.startedAt, nowMs);
  return {
    id: organization.id,
    name: organization.name,
    plan: inForce.plan,
    plan_ends_at: instantCell(organization.planEndsAt),
    period_ends_at: instantCell(period.endsAt),
    used: usage.used(organization.id, period.startedAt),
    archived_at: instantCell(organization.archivedAt),
  };
}
