import type { Config } from "../config.ts";
import { listenerAddress } from "../doors/http/requests/base-address.ts";
import type { Ports } from "../ports/ports.ts";

/**
 * Whether visitors may make accounts: where that is switched on, mails with links are sent, and the
 * appliance has somebody already, since the first person is its operator.
 */
export function composeSignUp(
  config: Config,
  ports: Pick<Ports, "mail" | "log">,
  isSetUpNeeded: () => Promise<boolean>,
): () => Promise<boolean> {
  const canSend = sendsLinks(config, ports);
  if (config.signUp && !canSend) {
    ports.log.warn(
      {},
      "KANALOG_SIGN_UP is off in spite of its value: mails need KANALOG_SMTP_URL and KANALOG_BASE_URL",
    );
  }
  return async () => config.signUp && canSend && !(await isSetUpNeeded());
}

/**
 * Whether mails with links are sent: not without an address of our own. A mail's link would lead to the
 * host that a request names, and its token to whoever asked for the mail in somebody else's name.
 */
export function sendsLinks(
  { baseUrl, host, port }: Config,
  { mail }: Pick<Ports, "mail">,
): boolean {
  const knowsItsAddress = baseUrl !== null || listenerAddress(host, port) !== null;
  return mail !== null && knowsItsAddress;
}
