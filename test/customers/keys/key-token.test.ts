import { expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import {
  createKeyToken,
  hashKeyToken,
  isKeyToken,
  type KeyAccess,
  shownPrefix,
} from "../../../src/customers/keys/key-token.ts";
import { fakeRandom } from "../../support/fake-ports.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const random = fakeRandom();
const access = fc.constantFrom<KeyAccess[]>("read_only", "read_write");
const token = access.map((mark) => createKeyToken(mark, random));

test("a key is its access mark, 32 characters, and the CRC32 of all that in base62", () => {
  fc.assert(
    fc.property(access, (mark) => {
      const key = createKeyToken(mark, random);
      expect(key).toMatch(
        mark === "read_only" ? /^knl_ro_[0-9A-Za-z]{38}$/ : /^knl_rw_[0-9A-Za-z]{38}$/,
      );
      const value = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + BASE62.indexOf(digit), 0);
      expect(value).toBe(crc32(key.slice(0, -6)));
      expect(isKeyToken(key)).toBe(true);
    }),
  );
});

test("every change of a single character is detected", () => {
  const other = fc.constantFrom(...BASE62, "_", "-", " ", "é", "\n");
  fc.assert(
    fc.property(token, fc.nat(44), other, (key, at, character) => {
      fc.pre(key[at] !== character);
      expect(isKeyToken(key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
    }),
    { numRuns: 2000 },
  );
});

test("in one key, each other character at each position is detected", () => {
  const key = createKeyToken("read_write", random);
  let accepted = 0;
  for (let at = 0; at < key.length; at++) {
    for (const character of BASE62) {
      if (character === key[at]) continue;
      if (isKeyToken(key.slice(0, at) + character + key.slice(at + 1))) accepted += 1;
    }
  }
  expect(accepted).toBe(0);
});

test("swapped neighbors, missing parts and added characters are detected", () => {
  fc.assert(
    fc.property(token, fc.nat(43), (key, at) => {
      const turned = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2);
      if (turned !== key) expect(isKeyToken(turned)).toBe(false);
      expect(isKeyToken(key.slice(0, at + 1))).toBe(false);
      expect(isKeyToken(key.slice(at + 1))).toBe(false);
      expect(isKeyToken(key + key[at])).toBe(false);
      expect(isKeyToken(` ${key}`)).toBe(false);
      expect(isKeyToken(`${key}\n`)).toBe(false);
    }),
  );
});

test("a read-only key does not become a read-write one by changing its prefix", () => {
  const key = createKeyToken("read_only", random);
  expect(isKeyToken(key.replace("knl_ro_", "knl_rw_"))).toBe(false);
});

test("only the prefix and four more characters are shown", () => {
  const key = createKeyToken("read_only", random);
  expect(shownPrefix(key)).toBe(key.slice(0, 11));
  expect(shownPrefix(key)).toMatch(/^knl_ro_.{4}$/);
});

test("keys differ, and so do their hashes", () => {
  const keys = Array.from({ length: 1000 }, () => createKeyToken("read_only", random));
  expect(new Set(keys).size).toBe(1000);
  expect(new Set(keys.map((key) => hashKeyToken(key))).size).toBe(1000);
  expect(Buffer.from(hashKeyToken(keys[0] ?? ""), "base64")).toHaveLength(32);
});

test("all characters are equally likely", () => {
  const keys = 8000;
  const seen = new Map<string, number>();
  for (let made = 0; made < keys; made++) {
    for (const character of createKeyToken("read_only", random).slice(7, 39)) {
      seen.set(character, (seen.get(character) ?? 0) + 1);
    }
  }
  expect(seen.size).toBe(62);
  // Chance alone stays within 8 percent; taking each byte modulo 62 would favor eight characters by 21
  // percent.
  const expected = (keys * 32) / 62;
  for (const count of seen.values()) expect(Math.abs(count / expected - 1)).toBeLessThan(0.1);
});
