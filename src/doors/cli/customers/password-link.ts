import { type Environment, readConfig } from "../../../config.ts";
import { passwordAddress } from "../../../customers/people/passwords.ts";
import { localAddress } from "../../../values/network/address-ranges.ts";
import type { CommandContext } from "../command-context.ts";

/** A link for choosing a password, to be printed; without an address if none can be assumed. */
export function passwordLink({ environment }: CommandContext, token: string): string {
  const address = readConfig(environment).baseUrl ?? assumedAddress(environment);
  return passwordAddress(address ?? "", token);
}

/** Explains a printed link. */
export function notePasswordLink({ environment, output }: CommandContext): void {
  output.note(`They can choose a password with the link, once, within three days.`);
  if (readConfig(environment).baseUrl !== null) return;
  const assumed = assumedAddress(environment);
  output.note(
    assumed === null
      ? "Put the appliance's address before it."
      : `The link assumes that the appliance is reached at ${assumed}: KANALOG_BASE_URL is not set.`,
  );
}

/**
 * Where the settings say that the appliance listens; null if it chooses its port. Only the serving process
 * knows for certain, since options precede settings.
 */
function assumedAddress(environment: Environment): string | null {
  const { host, port } = readConfig(environment);
  return port === 0 ? null : localAddress(host, port);
}
