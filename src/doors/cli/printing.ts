import type { Domains } from "../../app/domains.ts";
import type { CommandContext } from "./command-context.ts";
import { type Printable, printList, printObject } from "./print.ts";
import { withDomains } from "./with-domains.ts";

/** The option that `jsonOption` adds to a command. */
export interface AsJson {
  json?: boolean | undefined;
}

/** Runs a verb over the database that the settings name, and prints what it returns. */
export function printing(
  context: CommandContext,
  { json }: AsJson,
  verb: (domains: Domains) => Promise<Printable | Printable[]> | Printable,
): Promise<void> {
  return withDomains(context, async (domains) => {
    const result = await verb(domains);
    if (Array.isArray(result)) printList(context.output, result, json === true);
    else printObject(context.output, result, json === true);
  });
}
