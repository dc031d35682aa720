import type { Config } from "../config.ts";
import type { Ports } from "../ports/ports.ts";
import { listenerAddress } from "../values/listener-address.ts";

/**
 * Whether visitors may create accounts. That takes the setting, working mail links, and an existing
 * account: the first person to arrive is the operator and uses the set-up page.
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
      "KANALOG_SIGN_UP is off despite its value: mails need KANALOG_SMTP_URL and KANALOG_BASE_URL",
    );
  }
  return async () => config.signUp && canSend && !(await isSetUpNeeded());
}

/**
 * Whether mails may contain links. That takes an address of our own: the base URL, or the one address that
 * is listened on. Otherwise a link would point to whatever host the request named, and its token would go
 * to an attacker who asked for the mail in somebody else's name.
 */
export function sendsLinks(
  { baseUrl, host, port }: Config,
  { mail }: Pick<Ports, "mail">,
): boolean {
  const knowsItsAddress = baseUrl !== null || listenerAddress(host, port) !== null;
  return mail !== null && knowsItsAddress;
}
