import { Command } from "commander";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import type { Key } from "../../../customers/keys/keys.table.ts";
import { formatOptionalInstant } from "../../../values/moscow-time.ts";
import { type AsJson, jsonOption, parseLastDay } from "../arguments.ts";
import type { CommandContext } from "../command-context.ts";
import { KEY, keyNamed, memberNamed, ORGANIZATION, organizationNamed } from "../named.ts";
import type { Printable } from "../print.ts";
import { printResult, withDomains } from "../with-domains.ts";
import { printNewKey } from "./new-key.ts";

interface NewKeyOptions extends AsJson {
  member: string;
  name: string;
  write: boolean;
  expires?: number;
}

/** `kanalog key`: API keys. */
export function keyCommand(context: CommandContext): Command {
  const command = new Command("key").description("API keys");
  const { output } = context;

  command
    .command("create")
    .description("create a key, which is shown only once")
    .requiredOption("--member <member>", "number or e-mail address of the member it belongs to")
    .option("--name <name>", "its name", "")
    .option("--write", "create a read-and-write key; by default it is read-only", false)
    .option("--expires <day>", "last day it works, in Moscow", parseLastDay)
    .addOption(jsonOption())
    .action(({ member, name, write, expires, json }: NewKeyOptions) =>
      withDomains(context, async ({ accounts, keys }) => {
        const memberId = await memberNamed(accounts, member);
        const access = write ? "read_write" : "read_only";
        const given = { memberId, name, access, expiresAt: expires ?? null } as const;
        const { key, token } = await keys.createKey(given, COMMAND_LINE);
        await printNewKey(output, keys, key.id, { ...describe(key), key: token }, json);
      }),
    );

  command
    .command("list")
    .description("list the keys of an organization")
    .argument("<organization>", ORGANIZATION)
    .addOption(jsonOption())
    .action((organization: string, options: AsJson) =>
      printResult(context, options, async ({ accounts, keys }) => {
        const { id } = await organizationNamed(accounts, organization);
        return (await keys.keys(id)).map(describe);
      }),
    );

  command
    .command("revoke")
    .description("revoke a key, which stops working at once")
    .argument("<key>", KEY)
    .addOption(jsonOption())
    .action((named: string, options: AsJson) =>
      printResult(context, options, async ({ keys }) =>
        describe(await keys.revokeKey(await keyNamed(keys, named), COMMAND_LINE)),
      ),
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
    created_at: formatOptionalInstant(key.createdAt),
    last_used_at: formatOptionalInstant(key.lastUsedAt),
    expires_at: formatOptionalInstant(key.expiresAt),
    revoked_at: formatOptionalInstant(key.revokedAt),
  };
}
