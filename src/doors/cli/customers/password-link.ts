import { readConfig } from "../../../config.ts";
import { passwordAddress } from "../../../customers/people/password-address.ts";
import type { CommandContext } from "../command-context.ts";

/** A link for choosing a password, to be printed; complete if `KANALOG_BASE_URL` is set. */
export function passwordLink({ environment }: CommandContext, token: string): string {
  return passwordAddress(readConfig(environment).baseUrl ?? "", token);
}

/**
 * Explains a printed link. Only the serving process knows where it listens, since its port may come from an
 * option, so the address is an example.
 * @param who begins a sentence, such as "The owner"
 */
export function notePasswordLink({ environment, output }: CommandContext, who: string): void {
  const { baseUrl, port } = readConfig(environment);
  output.note(`${who} can choose a password with the link, once, within three days.`);
  if (baseUrl !== null) return;
  output.note(`Put the appliance's address before it, such as http://127.0.0.1:${port}.`);
}
