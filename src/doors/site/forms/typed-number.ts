/** Units after a number, in letters of either alphabet. */
const UNITS = [
  { unit: /^[kк]$|^тыс\.?$/iu, times: 1_000 },
  { unit: /^[mм]$|^mln\.?$|^млн\.?$/iu, times: 1_000_000 },
];
const TYPED = /^([+\-−–]?)(\d[\d.,'\s]*?)\s*(\p{L}+\.?|%)?$/u;
/** Longer texts are no numbers, and take long to be told from them. */
const TYPED_MAX = 40;
const GROUPED = /^[1-9]\d{0,2}(?:,\d{3})+$/;
/** Thousands or thousandths: nobody can say. */
const AMBIGUOUS = /^[1-9]\d{0,2}(?:\.\d{3})+$/;

/** Whether a filter, by its name in the API, is a bound in numbers. */
export function isNumberFilter(name: string): boolean {
  return /_(?:min|max)$/.test(name);
}

/**
 * A number as people type it into a filter (5,5 тыс., 5.5k, 1 000 000, 10 %), written as the API takes it; what
 * is none stays as it was typed, for the API's answer to refuse.
 */
export function typedNumber(text: string): string {
  if (text.length > TYPED_MAX) return text;
  const [, sign = "", digits = "", unit = ""] = TYPED.exec(text.trim()) ?? [];
  const times = unit === "" || unit === "%" ? 1 : UNITS.find((one) => one.unit.test(unit))?.times;
  const plain = digits.replace(/[\s']/g, "");
  // A comma before three digits, and no unit behind them, stands between thousands.
  const isGrouped = unit === "" && GROUPED.test(plain);
  const number = Number(isGrouped ? plain.replaceAll(",", "") : plain.replace(",", "."));
  if (digits === "" || times === undefined || Number.isNaN(number)) return text;
  if (unit === "" && AMBIGUOUS.test(plain)) return text;
  // Six places of a million are whole.
  const value = Math.round(number * times * 1e6) / 1e6;
  if (value > Number.MAX_SAFE_INTEGER) return text;
  return (/[-−–]/.test(sign) ? "-" : "") + value;
}
