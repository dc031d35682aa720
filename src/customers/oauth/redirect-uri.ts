/**
 * Addresses that a person may be redirected to (RFC 8252, section 7; OAuth 2.1, section 2.3): https, or
 * http on the person's own machine.
 */

export const REDIRECT_URI_LENGTH_MAX = 2_048;

/** Visible ASCII that a header can hold, without characters that `new URL` would reinterpret. */
const PLAIN = /^https?:\/\/[^/?#@\\]+(?:[/?][^\\#]*)?$/;

/** Loopback addresses in these spellings only: `new URL` also takes other notations of IP addresses. */
const LOOPBACK = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/;

export function isRedirectUri(text: string): boolean {
  return (
    text.length <= REDIRECT_URI_LENGTH_MAX &&
    /^[!-~]+$/.test(text) &&
    PLAIN.test(text) &&
    URL.canParse(text) &&
    (text.startsWith("https:") || isLoopbackUri(text))
  );
}

export function isLoopbackUri(text: string): boolean {
  return LOOPBACK.test(text);
}

/**
 * Whether an address is one of the client's, character for character. Only the port of a loopback address
 * may differ, because a program uses whichever is free (RFC 8252, section 7.3).
 */
export function isOneOf(given: string, registered: readonly string[]): boolean {
  if (!isRedirectUri(given)) return false;
  const wanted = withoutLoopbackPort(given);
  return registered.some((one) => withoutLoopbackPort(one) === wanted);
}

function withoutLoopbackPort(text: string): string {
  return text.replace(LOOPBACK, "$1");
}

/** The host shown to people, such as `claude.ai`. */
export function hostOf(redirectUri: string): string {
  return new URL(redirectUri).host;
}
