import { Argument, Command } from "commander";
import type { Domains } from "../../../app/domains.ts";
import {
  MEMBER_ROLES,
  type Member,
  type MemberRole,
} from "../../../customers/accounts/accounts.table.ts";
import { isActiveOwner } from "../../../customers/accounts/member-rules.ts";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import { formatOptionalInstant } from "../../../values/moscow-time.ts";
import { type AsJson, choiceOption, jsonOption } from "../arguments.ts";
import type { CommandContext } from "../command-context.ts";
import { MEMBER, memberNamed, ORGANIZATION, organizationNamed } from "../named.ts";
import type { Printable } from "../print.ts";
import { printResult } from "../with-domains.ts";
import { readNewPassword } from "./new-password.ts";

type NewMember = Pick<Member, "email" | "name" | "role">;

/** `kanalog member`: an organization's people. */
export function memberCommand(context: CommandContext): Command {
  return new Command("member")
    .description("members of organizations")
    .addCommand(addCommand(context))
    .addCommand(listCommand(context))
    .addCommand(roleCommand(context))
    .addCommand(suspendCommand(context))
    .addCommand(restoreCommand(context))
    .addCommand(passwordCommand(context));
}

function addCommand(context: CommandContext): Command {
  return new Command("add")
    .description("add a member to an organization")
    .argument("<organization>", ORGANIZATION)
    .requiredOption("--email <email>", "their e-mail address")
    .option("--name <name>", "their name", "")
    .addOption(choiceOption("--role <role>", "their role", MEMBER_ROLES).makeOptionMandatory())
    .addOption(jsonOption())
    .action((organization: string, { json, ...input }: NewMember & AsJson) =>
      printResult(context, { json }, async ({ accounts, people }) => {
        const { id: organizationId } = await organizationNamed(accounts, organization);
        const member = await accounts.addMember({ organizationId, ...input }, COMMAND_LINE);
        await people.removeUnverifiedPassword(member.email);
        return describe(member);
      }),
    );
}

function listCommand(context: CommandContext): Command {
  return new Command("list")
    .description("list the members of an organization")
    .argument("<organization>", ORGANIZATION)
    .addOption(jsonOption())
    .action((organization: string, options: AsJson) =>
      printResult(context, options, async ({ accounts }) => {
        const { id } = await organizationNamed(accounts, organization);
        return (await accounts.members(id)).map(describe);
      }),
    );
}

function roleCommand(context: CommandContext): Command {
  return new Command("role")
    .description("change a member's role")
    .argument("<member>", MEMBER)
    .addArgument(new Argument("<role>", "their role").choices(MEMBER_ROLES))
    .addOption(jsonOption())
    .action((named: string, role: MemberRole, options: AsJson) =>
      printChanged(context, options, named, ({ accounts }, id) =>
        accounts.changeRole(id, role, COMMAND_LINE),
      ),
    );
}

function suspendCommand(context: CommandContext): Command {
  return new Command("suspend")
    .description("suspend a member: their keys stop working")
    .argument("<member>", MEMBER)
    .addOption(jsonOption())
    .action((named: string, options: AsJson) =>
      printChanged(context, options, named, async ({ accounts, people }, id) => {
        const member = await accounts.suspendMember(id, COMMAND_LINE);
        await people.endSessionsOfSuspended(member.email);
        return member;
      }),
    );
}

function restoreCommand(context: CommandContext): Command {
  return new Command("restore")
    .description("end a member's suspension")
    .argument("<member>", MEMBER)
    .addOption(jsonOption())
    .action((named: string, options: AsJson) =>
      printChanged(context, options, named, ({ accounts }, id) =>
        accounts.reinstateMember(id, COMMAND_LINE),
      ),
    );
}

function passwordCommand(context: CommandContext): Command {
  return new Command("password")
    .description("set a member's password for the account site, and end their sessions")
    .argument("<member>", MEMBER)
    .option("--stdin", "read the password from standard input, as one line", false)
    .addOption(jsonOption())
    .action((named: string, { stdin, json }: { stdin: boolean } & AsJson) =>
      printResult(context, { json }, async ({ accounts, people }) => {
        const member = await accounts.member(await memberNamed(accounts, named));
        const password = await readNewPassword(context.output, stdin);
        await people.ensure(member);
        await people.setPassword(member.email, password);
        return describe(member);
      }),
    );
}

/**
 * Changes a member and prints them. Only owners can make owners, so an organization that has lost its last
 * one needs the operator, who is told.
 */
function printChanged(
  context: CommandContext,
  options: AsJson,
  named: string,
  change: (domains: Domains, id: number) => Promise<Member>,
): Promise<void> {
  return printResult(context, options, async (domains) => {
    const { accounts } = domains;
    const member = await change(domains, await memberNamed(accounts, named));
    if (!(await accounts.members(member.organizationId)).some(isActiveOwner)) {
      const advice = "appoint one with `kanalog member role`";
      context.output.note(`The organization has no owner now: ${advice}.`);
    }
    return describe(member);
  });
}

function describe(member: Member): Printable {
  return {
    id: member.id,
    organization: member.organizationId,
    email: member.email,
    name: member.name,
    role: member.role,
    created_at: formatOptionalInstant(member.createdAt),
    suspended_at: formatOptionalInstant(member.suspendedAt),
  };
}
