import { expect, test } from "bun:test";
import fc from "fast-check";
import { holdText, releaseText } from "../../../src/catalog/fields/spreadsheet-text.ts";
import { asTimeAllows } from "../../support/as-time-allows.ts";

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom("'", "=", "+", "-", "@", "\t", "\r", "1", "а") }),
  fc.string({ unit: "binary" }),
);
const notEmpty = text.filter((one) => one !== "");

test("a held text is read again as it was, with formulas held and without", async () => {
  const property = fc.property(notEmpty, fc.boolean(), (given, isRaw) => {
    expect(releaseText(holdText(given, isRaw))).toBe(given);
  });
  await asTimeAllows(property, 1000);
});

test("no held text is one that a spreadsheet runs, but for whole numbers", async () => {
  const property = fc.property(notEmpty, (given) => {
    const held = holdText(given, false);
    expect(/^[=+\-@\t\r]/.test(held) && !/^-\d+$/.test(held), held).toBe(false);
  });
  await asTimeAllows(property, 1000);
});

test("a text that was never held, and begins with no apostrophe, is read as it is", async () => {
  const property = fc.property(text, (given) => {
    fc.pre(!given.startsWith("'"));
    expect(releaseText(given)).toBe(given);
  });
  await asTimeAllows(property, 1000);
});

test("only what needs it gets an apostrophe", () => {
  const held = (given: string, isRaw = false): string => holdText(given, isRaw);
  expect(["=1", "+7 900", "-a", "@all"].map((one) => held(one))).toEqual([
    ...["'=1", "'+7 900", "'-a", "'@all"],
  ]);
  expect(["-1001", "1-1", "a=b", "'a"].map((one) => held(one))).toEqual([
    ...["-1001", "1-1", "a=b", "'a"],
  ]);
  expect(held("=1", true)).toBe("=1");
  // It would lose its own apostrophe.
  expect(held("'=1", true)).toBe("''=1");
});
