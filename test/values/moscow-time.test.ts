import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  dayOf,
  formatDay,
  formatInstant,
  parseDay,
  parseInstant,
  startOfDay,
} from "../../src/values/moscow-time.ts";

const someDay = fc.integer({ min: -719_162, max: 2_932_896 });
const someInstant = fc.integer({ min: 0, max: Date.parse("9999-12-31T20:59:59.999Z") });

test("a day starts at midnight in Moscow and ends at the next", () => {
  const day = parseDay("2026-11-20") ?? 0;
  expect(startOfDay(day)).toBe(Date.parse("2026-11-19T21:00:00Z"));
  expect(dayOf(Date.parse("2026-11-20T00:00:00+03:00"))).toBe(day);
  expect(dayOf(Date.parse("2026-11-20T23:59:59.999+03:00"))).toBe(day);
  expect(dayOf(Date.parse("2026-11-19T23:59:59.999+03:00"))).toBe(day - 1);
  expect(dayOf(Date.parse("2026-11-21T00:00:00+03:00"))).toBe(day + 1);
});

test("days before 1970 are valid", () => {
  expect(dayOf(-1)).toBe(0);
  expect(dayOf(startOfDay(-5))).toBe(-5);
  expect(dayOf(startOfDay(-5) - 1)).toBe(-6);
});

test("a day is parsed as it is formatted, in the years 1 to 9999", () => {
  fc.assert(
    fc.property(someDay, (day) => {
      expect(formatDay(day)).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(parseDay(formatDay(day))).toBe(day);
      expect(dayOf(startOfDay(day))).toBe(day);
      expect(dayOf(startOfDay(day + 1) - 1)).toBe(day);
    }),
  );
});

test("dates that do not exist, and other spellings, are not days", () => {
  for (const text of [
    ...["2025-02-30", "2025-02-29", "2100-02-29", "2025-04-31", "2025-13-01", "2025-00-10"],
    ...[
      "0001-01-00",
      "0001-21-09",
      "0012-31-10",
      "2025-01-32",
      "2025-01-00",
      "2025-1-1",
      "20250101",
      "2025-01-01T00:00:00Z",
      " 2025-01-01",
      "",
    ],
    ...["2025-01-01\n", "+02025-01-01", "-2025-01-01", "٢٠٢٥-٠١-٠١", "today"],
  ]) {
    expect(parseDay(text), text).toBeNull();
  }
  expect(parseDay("2024-02-29")).not.toBeNull();
  expect(parseDay("2000-02-29")).not.toBeNull();
});

test("an instant is formatted with Moscow's offset, to the second", () => {
  expect(formatInstant(Date.parse("2026-11-20T11:03:07.999Z"))).toBe("2026-11-20T14:03:07+03:00");
  expect(formatInstant(Date.parse("2026-12-31T21:00:00Z"))).toBe("2027-01-01T00:00:00+03:00");
});

test("an instant is parsed as Date parses it, with every offset", () => {
  fc.assert(
    fc.property(
      someInstant,
      fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }),
      (instant, offset) => {
        const local = instant + offset * 60_000;
        fc.pre(local >= 0 && local < Date.parse("9999-12-31T23:59:59Z"));
        const two = (value: number) => String(value).padStart(2, "0");
        const sign = offset < 0 ? "-" : "+";
        const minutes = Math.abs(offset);
        const zone = `${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
        const text = new Date(local).toISOString().replace("Z", zone);
        expect(parseInstant(text)).toBe(instant);
        expect(parseInstant(new Date(instant).toISOString())).toBe(instant);
      },
    ),
  );
});

test("a fraction of any length is truncated to the millisecond, never rounded up", () => {
  const second = Date.parse("2026-11-20T11:03:07Z");
  const fractions: [string, number][] = [
    ...([
      ["", 0],
      [".1", 100],
      [".12", 120],
      [".123", 123],
    ] as [string, number][]),
    ...([
      [",5", 500],
      [".9999", 999],
      [".000999999999", 0],
    ] as [string, number][]),
  ];
  for (const [fraction, milliseconds] of fractions) {
    expect(parseInstant(`2026-11-20T11:03:07${fraction}Z`)).toBe(second + milliseconds);
  }
  expect(parseInstant("2026-11-20T11:03Z")).toBe(Date.parse("2026-11-20T11:03:00Z"));
});

test("times that do not exist, or have no offset, are not instants", () => {
  for (const text of [
    ...["2026-11-20T14:03:07", "2026-11-20", "2025-02-30T00:00:00Z", "2026-11-20T24:00:00Z"],
    ...["2026-11-20T23:60:00Z", "2026-11-20T23:59:60Z", "2026-11-20T00:00:00+24:00"],
    ...["2026-11-20T00:00:00+03:60", "2026-11-20T00:00:00.Z", "20261120T000000Z", "0", ""],
    ...["2026-11-20T00:00:00 Z", "2026-11-20T00:00:00Zjunk", "2026-11-20T00:00:00MSK"],
  ]) {
    expect(parseInstant(text), text).toBeNull();
  }
});
