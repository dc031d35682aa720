import { createHmac, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";

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

/** Most forms to remember; the oldest are dropped. */
const FORMS_MAX = 10_000;

export interface SentForms {
  /** False if it was already taken. */
  take(name: string): boolean;
  /** Marks a taken form as done. */
  keep(name: string): void;
  /** Releases a form that failed, so that it can be sent again. */
  giveBack(name: string): void;
}

/**
 * Remembers forms that must not be processed twice, such as one that creates a key, by the number of the
 * page they were on: reloading the answer sends the form again. Workers share this memory
 * (src/values/claims.ts).
 */
export function createSentForms(): SentForms {
  const sent = new LRUCache<string, true>({ max: FORMS_MAX });
  return {
    take(name) {
      if (sent.has(name)) return false;
      sent.set(name, true);
      return true;
    },

    keep() {},

    giveBack(name) {
      sent.delete(name);
    },
  };
}

/** Headers of every answer of the site, assets included. */
export const SECURITY_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
};
