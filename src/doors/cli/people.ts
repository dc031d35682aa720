import { Command } from "commander";
import { requiredEmail } from "../../customers/accounts/accounts.ts";
import { memberRows, members } from "../../verbs/operator/customers/members.ts";
import { withAccount } from "../../verbs/operator/customers/organizations.ts";
import { operatorKeys } from "../../verbs/operator/system/operator-keys.ts";
import {
  type AsJson,
  type CommandContext,
  jsonOption,
  type Output,
  usageError,
} from "./command-context.ts";
import { confirm, forTerminal, printObject, readHiddenLine, readSecretLine } from "./print.ts";
import { notePasswordLink, passwordLink, resourceCommand } from "./resource-command.ts";
import { printResult, withDomains } from "./with-domains.ts";

/** `kanalog member`: the verbs of members, and their password, which only a terminal asks for. */
export function memberCommand(context: CommandContext): Command {
  return resourceCommand(members, context).addCommand(passwordCommand(context));
}

function passwordCommand(context: CommandContext): Command {
  return new Command("password")
    .description("set a member's password for the account site, and end their sessions")
    .argument("<member>", members.hint)
    .option("--stdin", "read the password from standard input, as one line", false)
    .addOption(jsonOption())
    .action((named: string, { stdin, json }: { stdin: boolean } & AsJson) =>
      printResult(context, { json }, async (services) => {
        const { accounts, people } = services;
        const member = await accounts.member(Number(await members.find(named, services)));
        const password = await readNewPassword(context.output, stdin);
        await people.ensurePerson(member);
        await people.setPassword(member.email, password);
        return memberRows.row(member);
      }),
    );
}

/**
 * Asks twice on a terminal, without echoing the input; otherwise reads one line of standard input.
 * @throws CommandExit
 */
async function readNewPassword(
  { note }: Pick<Output, "note">,
  fromStdin: boolean,
): Promise<string> {
  if (fromStdin) return (await readHiddenLine("")) ?? "";
  if (!process.stdin.isTTY) {
    throw usageError(
      "Standard input is not a terminal, so there is no prompt: use --stdin, and send the password there.",
    );
  }
  const password = await readSecretLine("New password: ");
  if (password === (await readSecretLine("Once more: "))) return password;
  note("The passwords differ.");
  return readNewPassword({ note }, false);
}

export function staffCommand(context: CommandContext): Command {
  const command = new Command("staff").description("people who may use the operator's console");
  const { output } = context;

  command
    .command("add")
    .description("make somebody staff, and print a link if they have no password yet")
    .argument("<email>", "their e-mail address")
    .option("--name <name>", "their name, if they are new", "")
    .option("--yes", "do not ask for confirmation")
    .addOption(jsonOption())
    .action((text: string, { name, yes = false, json }: { name: string; yes?: boolean } & AsJson) =>
      withDomains(context, async (services) => {
        const person = { email: requiredEmail(text), name };
        const [place] = await services.accounts.allMembershipsOf(person.email);
        if (place !== undefined) {
          const customer = forTerminal(place.organization.name);
          const warning = `${person.email} belongs to the customer ${customer}. Staff see and change all customers.`;
          await confirm(output, warning, yes);
        }
        const linkTo = (token: string) => passwordLink(context, token);
        const { email, link } = await withAccount(person, { services, linkTo }, () =>
          services.people.markStaff(person.email, true),
        );
        printObject(output, { email, is_staff: true, link }, json);
        if (link !== null) notePasswordLink(context);
      }),
    );

  command
    .command("remove")
    .description("remove somebody from staff; their account stays")
    .argument("<email>", "their e-mail address")
    .addOption(jsonOption())
    .action((text: string, options: AsJson) =>
      printResult(context, options, async ({ people }) => {
        const email = requiredEmail(text);
        await people.markStaff(email, false);
        return { email, is_staff: false };
      }),
    );
  return command.addCommand(resourceCommand(operatorKeys, context));
}
