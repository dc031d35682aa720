import { expect, test } from "bun:test";
import { MIGRATIONS } from "../../src/db/migrate.ts";

/**
 * Hashes of the released migrations in order: files that they created keep their tables. A new migration
 * adds its own hash here, which the test prints.
 */
const STANDING: readonly string[] = [
  "185591d66c0e",
  "5b97b11b21df",
  "0981c50ebb1b",
  "7dcf48e51405",
  "96aeeccf879f",
  "b284704c798d",
  "ee849916ed45",
  "0de2aef8b1eb",
  "209bc89eaf2a",
  "76967cc4b34a",
  "a9e389506495",
  "3b94fb638b31",
  "34b41fc9b5f5",
  "135a4ce7e412",
  "bf5898d3c42b",
  "205272f351fb",
  "2457ae63e5ad",
  "a61c97760d1d",
  "36b429db6c03",
  "e1c2bc284569",
  "cae251f872b6",
  "76798149ce95",
  "6bc042adef62",
  "9272db2db2d0",
  "8182130211aa",
  "9a6dabeaa371",
  "e3b0c44298fc",
  "641e5d4dc30d",
  "672548d95067",
  "5a940db93258",
  "1b81521bf6a8",
];

/** Hash of a migration, regardless of comments and line breaks. */
function hashOf(sql: string): string {
  const plain = sql.replaceAll(/--[^\n]*/g, "").replaceAll(/\s+/g, " ");
  return new Bun.CryptoHasher("sha256").update(plain.trim()).digest("hex").slice(0, 12);
}

test("no released migration is edited: a change of the schema is a new one", () => {
  expect(MIGRATIONS.map(hashOf)).toEqual([...STANDING]);
});
