import type { Random } from "../../ports/random.ts";
import { createToken, hasChecksum } from "../keys/key-token.ts";

/**
 * OAuth secrets, formatted like keys but with prefixes of their own: each is valid for one purpose only,
 * and scanners for leaked keys recognize them.
 */
const PREFIXES = { access: "knl_oa_", refresh: "knl_or_", code: "knl_oc_" } as const;

type TokenKind = keyof typeof PREFIXES;

const FORM = /^knl_o[arc]_[0-9A-Za-z]{38}$/;

/** Prefix of a grant's tokens, shown in place of a key's. */
export const GRANT_PREFIX = PREFIXES.access;

export function createOAuthToken(kind: TokenKind, random: Random): string {
  return createToken(PREFIXES[kind], random);
}

/** Whether a text has the format of such a secret; a mistyped or truncated one needs no lookup. */
export function isOAuthToken(kind: TokenKind, text: string): boolean {
  return text.startsWith(PREFIXES[kind]) && FORM.test(text) && hasChecksum(text);
}
