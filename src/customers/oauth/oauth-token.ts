import type { Random } from "../../ports/random.ts";
import { createToken, hasChecksum } from "../keys/key-token.ts";

/**
 * Secrets of OAuth, written like keys with beginnings of their own: each opens one
 * thing only, and scanners that look for leaked keys know them.
 */
const PREFIXES = { access: "knl_oa_", refresh: "knl_or_", code: "knl_oc_" } as const;

type TokenKind = keyof typeof PREFIXES;

const FORMS: Record<TokenKind, RegExp> = {
  access: /^knl_oa_[0-9A-Za-z]{38}$/,
  refresh: /^knl_or_[0-9A-Za-z]{38}$/,
  code: /^knl_oc_[0-9A-Za-z]{38}$/,
};

/** The beginning of a grant's tokens, shown in the place of a key's. */
export const GRANT_PREFIX = PREFIXES.access;

export function createOAuthToken(kind: TokenKind, random: Random): string {
  return createToken(PREFIXES[kind], random);
}

/** Whether a text has the form of such a secret; one that was mistyped or cut off needs no look-up. */
export function isOAuthToken(kind: TokenKind, text: string): boolean {
  return FORMS[kind].test(text) && hasChecksum(text);
}
