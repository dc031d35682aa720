import { expect, test } from "bun:test";
import fc from "fast-check";
import { escapeText, unescapeText } from "../../../src/catalog/fields/spreadsheet-text.ts";
import { asTimeAllows } from "../../support/as-time-allows.ts";

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."'=+-@＝＋－＠;\t\r1а") }),
  fc.string({ unit: "binary" }),
);
const notEmpty = text.filter((one) => one !== "");

test("escaped text is read back as it was, whether formulas are escaped or not", async () => {
  const property = fc.property(notEmpty, fc.boolean(), (given, isRaw) => {
    expect(unescapeText(escapeText(given, isRaw))).toBe(given);
  });
  await asTimeAllows(property, 1000);
});

test("a spreadsheet runs no escaped text, and takes only whole numbers for values", async () => {
  const property = fc.property(notEmpty, (given) => {
    const escaped = escapeText(given, false);
    const isRun = /^[=+\-@＝＋－＠\t\r]|[;\t][=+\-@＝＋－＠]/.test(escaped);
    expect(isRun && !/^-\d+$/.test(escaped), escaped).toBe(false);
  });
  await asTimeAllows(property, 1000);
});

test("text that was never escaped is read as it is, unless an apostrophe begins it or what follows a semicolon or tab", async () => {
  const property = fc.property(text, (given) => {
    fc.pre(!/(?:^|[;\t])'/.test(given));
    expect(unescapeText(given)).toBe(given);
  });
  await asTimeAllows(property, 1000);
});

test("only text that needs an apostrophe gets one", () => {
  const escaped = (given: string, isRaw = false): string => escapeText(given, isRaw);
  expect(["=1", "+7 900", "-a", "@all"].map((one) => escaped(one))).toEqual([
    ...["'=1", "'+7 900", "'-a", "'@all"],
  ]);
  expect(["-1001", "1-1", "a=b", "'a"].map((one) => escaped(one))).toEqual([
    ...["-1001", "1-1", "a=b", "'a"],
  ]);
  expect(["a;=1", "a\t@b", "＝1", "a;＋1", "\t=1"].map((one) => escaped(one))).toEqual([
    ...["a;'=1", "a\t'@b", "'＝1", "a;'＋1", "'\t'=1"],
  ]);
  expect(["a; =1", "a;b\tc", "a\n- b", "a;'"].map((one) => escaped(one))).toEqual([
    ...["a; =1", "a;b\tc", "a\n- b", "a;'"],
  ]);
  expect(["=1", "a;=1"].map((one) => escaped(one, true))).toEqual(["=1", "a;=1"]);
  // Otherwise reading it back would remove its own apostrophe.
  expect(escaped("'=1", true)).toBe("''=1");
});
