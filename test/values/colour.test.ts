import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  contrast,
  formatColour,
  parseColour,
  readableOn,
} from "../../src/values/settings/colour.ts";

const colour = fc.tuple(...([0, 1, 2] as const).map(() => fc.nat(255))) as fc.Arbitrary<
  [number, number, number]
>;

test("a colour is a hash with six hexadecimal digits, and nothing else", () => {
  expect(parseColour("#0B6a86")).toEqual([11, 106, 134]);
  for (const text of [
    "0b6a86",
    "#0b6",
    "#0b6a8",
    "#0b6a866",
    "#0b6a8g",
    "",
    "red; }",
    "#0b6a86\n",
  ]) {
    expect(parseColour(text), JSON.stringify(text)).toBeNull();
  }
  fc.assert(fc.property(colour, (one) => expect(parseColour(formatColour(one))).toEqual(one)));
});

test("contrast is that of WCAG: 21 for black on white, 1 for a colour on itself", () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21, 5);
  expect(contrast([255, 255, 255], [118, 118, 118])).toBeCloseTo(4.54, 2);
  fc.assert(fc.property(colour, (one) => expect(contrast(one, one)).toBe(1)));
});

test("any colour becomes readable on both surfaces, and stays unchanged if it already is", () => {
  for (const surface of [
    [238, 241, 244],
    [32, 39, 45],
  ] as const) {
    fc.assert(
      fc.property(colour, (one) => {
        const shown = readableOn(surface, one, 5.6);
        expect(contrast(shown, surface)).toBeGreaterThanOrEqual(5.6);
        if (contrast(one, surface) >= 5.6) expect(shown).toEqual(one);
      }),
    );
  }
});
