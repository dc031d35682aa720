import { createHmac, timingSafeEqual } from "node:crypto";

/** Cookie that form tokens are bound to. */
export const FORM_COOKIE = "kanalog.form";

/**
 * A form's token, bound to this browser, and to the session if somebody is signed in. Another site can
 * neither read nor create one.
 */
export function csrfToken(secret: string, formCookie: string, sessionId: string | null): string {
  return createHmac("sha256", secret)
    .update(`csrf ${formCookie} ${sessionId ?? ""}`)
    .digest("base64url");
}

/** Compares tokens in constant time. */
export function isSameToken(given: string, expected: string): boolean {
  const one = Buffer.from(given);
  const other = Buffer.from(expected);
  return one.length === other.length && timingSafeEqual(one, other);
}
