import fc from "fast-check";

/** The parts of a JSON Schema that the generators use. */
export interface ValueSchema {
  type?: string;
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  format?: string;
  pattern?: string;
  examples?: unknown[];
  items?: ValueSchema;
  anyOf?: ValueSchema[];
  properties?: Record<string, ValueSchema>;
  required?: string[];
}

/** Texts that have broken programs. */
const NASTY = [
  ...["", " ", "\t", "\u00a0", "null", "undefined", "NaN", "Infinity", "-0", "+1", "1e3", "0x10"],
  ...[
    "007",
    "1.0",
    "1_000",
    "१२",
    "٣",
    "½",
    "②",
    "2147483648",
    "9007199254740993",
    "9".repeat(400),
  ],
  ...["-9223372036854775809", "2025-02-30", "0000-00-00", "9999-12-31", "2024-11-1", "20241101"],
  ...["+010000-01-01", "2024-11-01T00:00:00Z", "275760-09-14", "-000001-01-01"],
  ...["\0", "a\0b", "\ud800", "a\udfffb", "\ufeff", "\ufffe", "\u202e\u2066abc", "\u200b\u200d"],
  ...["e\u0301".repeat(50), "👩‍👩‍👧‍👦", "ǅ", "İ", "ß", "ﬀ", "ёЁ", "\u2028", "ﷺ".repeat(20)],
  ...[
    "'",
    '"',
    "`",
    "' OR '1'='1",
    "'; DROP TABLE channels; --",
    "1) UNION SELECT hash FROM keys--",
  ],
  ...["%", "_", "%%%", "___", "\\", "*", "a*", "^abc", "{abc}", "abc:", "NEAR(abc def)", "abc NOT"],
  ...['"abc', 'abc"def', '""', "(", ")))", "- abc", "abc OR OR", "title:abc", "AND", "abc + def"],
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "prototype", "length"],
  ...[
    "../../etc/passwd",
    "..%2f..",
    "%2e%2e%2f",
    "//evil.example",
    "javascript:alert(1)",
    "{{7*7}}",
  ],
  ...["<script>alert(1)</script>", "#{7*7}", "$(id)", "\r\nX-Injected: 1", "a\nb", "@", "@@"],
  ...["https://t.me/", "https://t.me/+invite", "t.me/s/nsmag/1?x#y", "http://t.me:99999/x", "t.me"],
  ...[
    "https://[::1",
    "//t.me/nsmag",
    "@nsmag",
    "NSMAG",
    "-1001000724666",
    "+-1",
    "1,2,,3",
    ",",
    "1,",
  ],
] as const;

const lone = fc.constantFrom("\ud800", "\udbff", "\udc00", "\udfff", "\ud83d\ud83d");
const bidi = fc.constantFrom("\u202a", "\u202e", "\u2066", "\u2069", "\u200f", "\u061c");

/** Any text: nasty ones, mixtures of all kinds of characters, and long ones. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<string>(...NASTY) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.oneof(fc.constantFrom<string>(...NASTY), lone, bidi), { maxLength: 6 })
      .map((parts) => parts.join("").slice(0, 1000)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom("a", "ё", "🚀", "%", '"', "1", ",", "1,", " ", "*"), fc.nat(400))
      .map(([piece, times]) => piece.repeat(times)),
  },
);

/** A number, often near a limit. */
export const hostileNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(-1, 0, 1, 101, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, -(2 ** 53), 1e308, 5e-324, 0.5),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** A JSON value of any type, not very deep, sometimes with keys that prototypes have. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  hostileNumber,
  fc.constantFrom(null, true, false, [], {}, [null], [[]], [[1]], [{}], { length: 1 }, { "": "" }),
  fc.array(fc.oneof(hostileNumber, hostileText), { maxLength: 5 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(...["__proto__", "constructor", "toString", "hasOwnProperty"]).map((name) =>
    // In an object literal, `__proto__` would set the prototype.
    Object.defineProperty({}, name, { value: 1, enumerable: true }),
  ),
);

/** JSON that is nested too deeply. */
export const deepJson: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom("[]", "{}"), fc.constantFrom(100, 1_000, 20_000))
  .map(([brackets, depth]) =>
    brackets === "[]"
      ? "[".repeat(depth) + "]".repeat(depth)
      : `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
  );

const day = fc
  .tuple(
    fc.constantFrom("2024-11", "2024-12", "2026-11", "2025-02"),
    fc.integer({ min: 1, max: 28 }),
  )
  .map(([month, of]) => `${month}-${String(of).padStart(2, "0")}`);
/** Numbers of the sample's channels. */
const listOfNumbers = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });

/**
 * A valid value for a schema, preferably one that exists in the data.
 * @param known existing values of a field or parameter with this name
 */
export function soundValue(
  schema: ValueSchema,
  known: readonly unknown[] = [],
): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.format === "date") return day;
  if (schema.pattern !== undefined) return listOfNumbers.map((numbers) => numbers.join());
  if (known.length > 0) return fc.constantFrom(...known);
  switch (schema.type) {
    case "boolean":
      return fc.constantFrom(true, false);
    case "integer": {
      const { minimum = 0, maximum = 1_000_000 } = schema;
      return fc.oneof(
        fc.integer({ min: minimum, max: Math.min(maximum, minimum + 12) }),
        fc.integer({ min: minimum, max: maximum }),
      );
    }
    case "array":
      return listOfNumbers;
    default:
      return fc.constantFrom(...(schema.examples ?? ["nsmag"]));
  }
}
