import { createHmac, timingSafeEqual } from "node:crypto";

/** The cookie that a form's token belongs to. */
export const FORM_COOKIE = "kanalog.form";

/**
 * A form's token: of this browser, and of this session where somebody is signed in. Another site
 * can neither read it nor make one.
 */
export function csrfToken(secret: string, formCookie: string, sessionId: string | null): string {
  return createHmac("sha256", secret)
    .update(`csrf ${formCookie} ${sessionId ?? ""}`)
    .digest("base64url");
}

export function isCsrfToken(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
