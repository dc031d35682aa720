/** A value that a parameter refuses, and how the message begins; an empty one may be any. */
type Bad = readonly [value: string, message: string];

interface Kind {
  good: readonly string[];
  bad: readonly Bad[];
}

const NOT_INTEGER = "A valid integer is required.";
const NOT_DAY = "Date has wrong format. Use one of these formats instead: YYYY-MM-DD.";
const WHOLE: readonly Bad[] = [
  ["x", NOT_INTEGER],
  ["1.5", NOT_INTEGER],
  ["9007199254740993", ""],
  ["-9007199254740993", ""],
];
const NUMBERS: readonly Bad[] = [
  ["x", ""],
  ["1,x", ""],
  ["1;2", ""],
  ["9007199254740993", ""],
  [Array.from({ length: 101 }, (_, index) => index + 1).join(","), ""],
];

/** What parameters take and refuse, by the names that endpoints use. */
const KINDS: Readonly<Record<string, Kind>> = {
  integer: { good: ["0", "-1"], bad: WHOLE },
  count: { good: ["0", "1"], bad: WHOLE },
  limit: {
    good: ["1", "100"],
    bad: [
      ...WHOLE,
      ["0", "Ensure this value is greater than or equal to 1."],
      ["-1", ""],
      ["101", "Ensure this value is less than or equal to 100."],
    ],
  },
  hours: { good: ["6", "72"], bad: [...WHOLE, ["5", ""], ["73", ""]] },
  "page size": { good: ["1"], bad: [...WHOLE, ["0", ""]] },
  boolean: {
    good: ["true", "false", "1", "0", "yes", "no", "TRUE", "No"],
    bad: ["maybe", "2", "on", "t"].map((value) => [value, "Must be a valid boolean."]),
  },
  day: {
    good: [],
    bad: ["2025-02-30", "2025-13-01", "20250101", "yesterday", "2025-1-1"].map((value) => [
      value,
      NOT_DAY,
    ]),
  },
  code: { good: [], bad: [["no-such-code", "Object with slug=no-such-code does not exist."]] },
  substring: {
    good: ["канал"],
    bad: [
      ["ab", ""],
      ["%20%20a%20", ""],
    ],
  },
  numbers: { good: ["1", "1,1", "999999999999"], bad: NUMBERS },
  cursor: {
    good: [],
    bad: [
      ["nonsense", "Invalid cursor."],
      ["eyJhIjoxfQ", "Invalid cursor."],
    ],
  },
  fields: { good: [], bad: [["no_such_field", ""]] },
  metrics: { good: ["metrics"], bad: [["everything", ""]] },
  channel: { good: [], bad: [] },
  required: { good: [], bad: [["", "This field is required."]] },
  "required numbers": { good: [], bad: [...NUMBERS, ["", "This field is required."]] },
};

/** Values that no parameter takes: bytes that are not UTF-8, and NUL. */
const BROKEN: readonly Bad[] = [
  ["%FF", ""],
  ["%00", ""],
];

export const isRequired = (kind: string): boolean => kind.startsWith("required");

/** What a parameter takes and refuses; values are written as in a query. */
export function kindOf(name: string): Kind {
  const kind = KINDS[name];
  if (kind !== undefined) return { ...kind, bad: [...kind.bad, ...BROKEN] };
  const choices = name.split("|");
  const wrong = [`${choices[0]}s`, (choices[0] ?? "").toUpperCase()];
  const refused = wrong.map((value): Bad => [value, `"${value}" is not a valid choice.`]);
  return { good: choices, bad: [...refused, ...BROKEN] };
}
