import { Command } from "commander";
import { COMMAND_LINE } from "../../customers/audit/audit-log.ts";
import { memberRows, members } from "../../verbs/operator/customers/members.ts";
import { staff } from "../../verbs/operator/customers/people.ts";
import { operatorKeys } from "../../verbs/operator/system/operator-keys.ts";
import type { AsJson, CommandContext, Output } from "./command-context.ts";
import { jsonOption, usageError } from "./command-context.ts";
import { readHiddenLine, readSecretLine } from "./print.ts";
import { resourceCommand } from "./resource-command.ts";
import { printResult } from "./with-domains.ts";

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
        await people.setPassword({ email: member.email, password, by: COMMAND_LINE });
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

/** `kanalog staff`: its verbs, and the keys of the operator's API. */
export function staffCommand(context: CommandContext): Command {
  return resourceCommand(staff, context).addCommand(resourceCommand(operatorKeys, context));
}
