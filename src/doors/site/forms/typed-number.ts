/** Units after a number, in Latin or Cyrillic letters. */
const UNITS = [
  { unit: /^[kк]$|^тыс\.?$/iu, times: 1_000 },
  { unit: /^[mм]$|^mln\.?$|^млн\.?$/iu, times: 1_000_000 },
];
const TYPED = /^([+\-−–]?)(\d[\d.,'\s]*?)\s*(\p{L}+\.?|%)?$/u;
/** Longest text to examine: longer ones are not numbers, and take long to recognize as such. */
const TYPED_MAX = 40;
const GROUPED = /^[1-9]\d{0,2}(?:,\d{3})+$/;
/** Could mean thousands or thousandths. */
const AMBIGUOUS = /^[1-9]\d{0,2}(?:\.\d{3})+$/;

/** Whether a filter, by its API name, is a numeric bound. */
export function isNumberFilter(name: string): boolean {
  return /_(?:min|max)$/.test(name);
}

/**
 * Converts a number as people type it into a filter (5,5 тыс., 5.5k, 1 000 000, 10 %) to the API's form;
 * any other text is returned as typed, for the API to refuse.
 */
export function typedNumber(text: string): string {
  if (text.length > TYPED_MAX) return text;
  const [, sign = "", digits = "", unit = ""] = TYPED.exec(text.trim()) ?? [];
  const times = unit === "" || unit === "%" ? 1 : UNITS.find((one) => one.unit.test(unit))?.times;
  const plain = digits.replace(/[\s']/g, "");
  // A comma before three digits, without a unit after them, separates thousands.
  const isGrouped = unit === "" && GROUPED.test(plain);
  const number = Number(isGrouped ? plain.replaceAll(",", "") : plain.replace(",", "."));
  if (digits === "" || times === undefined || Number.isNaN(number)) return text;
  if (unit === "" && AMBIGUOUS.test(plain)) return text;
  // Six decimals, so that millions become whole: in floating point, 8.29 * 1e6 is 8289999.999999999.
  const value = Math.round(number * times * 1e6) / 1e6;
  if (value > Number.MAX_SAFE_INTEGER) return text;
  return (/[-−–]/.test(sign) ? "-" : "") + value;
}
