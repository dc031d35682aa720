import { Command } from "commander";
import { requiredEmail } from "../../../customers/accounts/accounts.ts";
import { withAccount } from "../../../verbs/operator/new-customer.ts";
import { operatorKeys } from "../../../verbs/operator/operator-keys.ts";
import { type AsJson, jsonOption } from "../arguments.ts";
import type { CommandContext } from "../command-context.ts";
import { printObject } from "../print.ts";
import { resourceCommand } from "../resource-command.ts";
import { printResult, withDomains } from "../with-domains.ts";
import { notePasswordLink, passwordLink } from "./password-link.ts";

/** `kanalog staff`: the operator's own people, who may use the console. */
export function staffCommand(context: CommandContext): Command {
  const command = new Command("staff").description("people who may use the operator's console");
  const { output } = context;

  command
    .command("add")
    .description("make somebody staff, and print a link if they have no password yet")
    .argument("<email>", "their e-mail address")
    .option("--name <name>", "their name, if they are new", "")
    .addOption(jsonOption())
    .action((text: string, { name, json }: { name: string } & AsJson) =>
      withDomains(context, async (services) => {
        const person = { email: requiredEmail(text), name };
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
