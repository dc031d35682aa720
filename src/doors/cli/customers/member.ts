import { Command } from "commander";
import { memberRows, members } from "../../../verbs/operator/members.ts";
import { type AsJson, jsonOption } from "../arguments.ts";
import type { CommandContext } from "../command-context.ts";
import { resourceCommand } from "../resource-command.ts";
import { printResult } from "../with-domains.ts";
import { readNewPassword } from "./new-password.ts";

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
