import { expect, test } from "bun:test";
import { typedNumber } from "../../../../src/doors/site/forms/faults.ts";

test("numbers are accepted as people type them, in both languages", () => {
  const typed: Record<string, string> = {
    ...{
      "5500": "5500",
      " 5 500 ": "5500",
      "5\u00a0500": "5500",
      "5,500": "5500",
      "5'500": "5500",
    },
    ...{ "1,250,000": "1250000", "1 000 000": "1000000", "5.5k": "5500", "5,5k": "5500" },
    ...{ "5,5 тыс.": "5500", "5,5тыс": "5500", "5.5 К": "5500", "1,2M": "1200000" },
    ...{ "1,5 млн": "1500000", "2 mln.": "2000000", "10 %": "10", "2,5%": "2.5", "0,1": "0.1" },
    ...{ "0,125": "0.125", "0.125": "0.125", "1.25": "1.25" },
    ...{ "-5": "-5", "−5,5 тыс.": "-5500", "+100": "100", "1.005k": "1005", "0": "0" },
  };
  for (const [text, number] of Object.entries(typed)) expect(typedNumber(text), text).toBe(number);
});

test("text that is not a number is returned as typed", () => {
  for (const text of [
    "",
    "many",
    "5 apples",
    "5.5.5",
    "1,2,3",
    "5 тысяч раз",
    "1e5",
    "9".repeat(20),
    "10.000",
    `1${" ".repeat(15_500)}!`,
  ]) {
    expect(typedNumber(text), text).toBe(text);
  }
});
