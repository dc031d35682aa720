import { Command } from "commander";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import type { Key } from "../../../customers/keys/keys.table.ts";
import { jsonOption, parseLastDay } from "../arguments.ts";
import type { CommandContext } from "../command-context.ts";
import { KEY, keyNamed, memberNamed, ORGANIZATION, organizationNamed } from "../named.ts";
import { instantCell, type Printable, printList, printObject } from "../print.ts";
import { withDomains } from "../with-domains.ts";
import { printNewKey } from "./new-key.ts";

/** `kanalog key`: API keys. */
export function keyCommand(context: CommandContext): Command {
  const command = new Command("key").description("API keys");
  const { output } = context;

  command
    .command("create")
    .description("make a key; it is shown this once")
    .requiredOption("--member <member>", "number or e-mail address of the member it belongs to")
    .option("--name <name>", "its name", "")
    .option("--write", "mark it read and write; read-only otherwise", false)
    .option("--expires <day>", "last day it works, in Moscow", parseLastDay)
    .addOption(jsonOption())
    .action(
      (input: {
        member: string;
        name: string;
        write: boolean;
        expires?: number;
        json?: boolean;
      }) => {
        return withDomains(context, async ({ accounts, keys }) => {
          const memberId = await memberNamed(accounts, input.member);
          const { key, token } = await keys.createKey(
            {
              memberId,
              name: input.name,
              access: input.write ? "read_write" : "read_only",
              expiresAt: input.expires ?? null,
            },
            COMMAND_LINE,
          );
          const printed = { ...describe(key), key: token };
          await printNewKey(output, keys, key.id, printed, input.json === true);
        });
      },
    );

  command
    .command("list")
    .description("the keys of an organization")
    .argument("<organization>", ORGANIZATION)
    .addOption(jsonOption())
    .action((organization: string, { json }: { json?: boolean }) =>
      withDomains(context, async ({ accounts, keys }) => {
        const { id } = await organizationNamed(accounts, organization);
        const found = await keys.keys(id);
        printList(output, found.map(describe), json === true);
      }),
    );

  command
    .command("revoke")
    .description("revoke a key: it stops working at once")
    .argument("<key>", KEY)
    .addOption(jsonOption())
    .action((named: string, { json }: { json?: boolean }) =>
      withDomains(context, async ({ keys }) => {
        const id = await keyNamed(keys, named);
        printObject(output, describe(await keys.revokeKey(id, COMMAND_LINE)), json === true);
      }),
    );
  return command;
}

function describe(key: Key): Printable {
  return {
    id: key.id,
    member: key.memberId,
    name: key.name,
    prefix: key.prefix,
    access: key.access,
    created_at: instantCell(key.createdAt),
    last_used_at: instantCell(key.lastUsedAt),
    expires_at: instantCell(key.expiresAt),
    revoked_at: instantCell(key.revokedAt),
  };
}
