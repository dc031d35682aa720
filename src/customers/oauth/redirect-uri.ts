/**
 * Addresses that a person may be sent back to (RFC 8252, section 7; OAuth 2.1, section 2.3): https, or
 * http on the person's own machine.
 */

const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);
export const REDIRECT_URI_LENGTH_MAX = 2_048;

/** Visible ASCII as it stands in a header, without what `new URL` would read as something else. */
const PLAIN = /^https?:\/\/[^/?#@\\]+(?:[/?][^\s\\#]*)?$/;

/** Whether a client may have it as one of its addresses. */
export function isRedirectUri(text: string): boolean {
  if (text.length > REDIRECT_URI_LENGTH_MAX || !/^[!-~]+$/.test(text) || !PLAIN.test(text)) {
    return false;
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && (url.protocol === "https:" || isLoopback(url));
}

/** Whether it leads to the person's own machine by http. */
export function isLoopbackUri(text: string): boolean {
  return URL.canParse(text) && isLoopback(new URL(text));
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && LOOPBACK_HOSTS.has(hostname);
}

/**
 * Whether an address is one of the client's, character for character. Only the port of a loopback
 * address may be another: a program takes the one that is free (RFC 8252, section 7.3).
 */
export function isOneOf(given: string, registered: readonly string[]): boolean {
  if (!isRedirectUri(given)) return false;
  if (registered.includes(given)) return true;
  return isLoopbackUri(given) && registered.some((one) => withoutPort(one) === withoutPort(given));
}

function withoutPort(text: string): string {
  return text.replace(/^(http:\/\/(?:\[::1\]|[^/?:]+)):\d{1,5}(?=[/?]|$)/, "$1");
}

/** The host that people are told, such as `claude.ai`. */
export function hostOf(redirectUri: string): string {
  return new URL(redirectUri).host;
}
