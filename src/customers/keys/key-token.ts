import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Random } from "../../ports/ports.ts";

/** Set when the key is created and never changed (specification, section 5). */
export const KEY_ACCESSES = ["read_only", "read_write"] as const;
export type KeyAccess = (typeof KEY_ACCESSES)[number];

/** Format of a key: its prefix, 32 base62 characters, and the CRC32 of both as 6 base62 characters. */
const FORM = /^knl_r[ow]_[0-9A-Za-z]{38}$/;
const PREFIXES: Record<KeyAccess, string> = { read_only: "knl_ro_", read_write: "knl_rw_" };
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BODY_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHOWN_LENGTH = 11;

export function createKeyToken(access: KeyAccess, random: Random): string {
  return createToken(PREFIXES[access], random);
}

/** Whether a text has the format of a key; a mistyped or truncated one needs no lookup. */
export function isKeyToken(text: string): boolean {
  return FORM.test(text) && hasChecksum(text);
}

/** A secret in the same format with another prefix. Its 32 base62 characters contain 190 random bits. */
export function createToken(prefix: string, random: Random): string {
  const unsigned = prefix + randomBase62(BODY_LENGTH, random);
  return unsigned + checksum(unsigned);
}

export function hasChecksum(text: string): boolean {
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** SHA-256 of a key or another secret, in base64, which is stored instead of the secret. */
export function hashKeyToken(token: string): string {
  return hash("sha256", token, "base64");
}

/** The beginning by which people recognize their keys: `knl_ro_` and four characters. */
export function shownPrefix(token: string): string {
  return token.slice(0, SHOWN_LENGTH);
}

function randomBase62(length: number, random: Random): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random.bytes(length)) {
      // 248 is the largest multiple of 62 that fits in a byte; using larger values would make some
      // characters likelier.
      if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
