import type { ErrorCode, FieldErrors, FieldFaults } from "../../../errors.ts";
import { AppError, fieldError } from "../../../errors.ts";
import { inLanguage, type Language, message, verbatim } from "../../../values/messages/messages.ts";
import type { Visit } from "../visit/visit.ts";

/** An error raised by a page itself, in the visitor's language. */
export function pageError(code: ErrorCode, text: string, retryAfterS?: number): AppError {
  return new AppError(code, verbatim(text), retryAfterS === undefined ? {} : { retryAfterS });
}

/** An error at one field of a form, in the visitor's language. */
export function pageFault(field: string, text: string): AppError {
  return fieldError({ [field]: [verbatim(text)] });
}

type Readers<Fields> = { [Name in keyof Fields]: () => Fields[Name] | Promise<Fields[Name]> };

/**
 * Reads the fields of a form, and reports everything that is wrong at once. What a reader throws as
 * `invalid` is reported at the field it reads, whatever name the domain uses.
 * @throws AppError `invalid`
 */
export async function readFields<Fields extends object>(readers: Readers<Fields>): Promise<Fields> {
  const read: Partial<Fields> = {};
  const faults: FieldFaults = {};
  for (const name of Object.keys(readers) as (keyof Fields & string)[]) {
    try {
      read[name] = await readers[name]();
    } catch (error) {
      if (!(error instanceof AppError) || error.faults === undefined) throw error;
      faults[name] = Object.values(error.faults).flat();
    }
  }
  if (Object.keys(faults).length > 0) throw fieldError(faults);
  return read as Fields;
}

/** The chosen option of a select. @throws AppError `invalid` */
export function requiredChoice<Option extends string>(
  options: readonly Option[],
  chosen: string,
): Option {
  const found = options.find((option) => option === chosen);
  if (found === undefined) throw fieldError({ choice: [message("chooseOption")] });
  return found;
}

/**
 * An error's messages by field, in the visitor's language; under `non_field_errors` if it has no fields.
 */
export function errorMessages(
  language: Language,
  { faults, publicMessage }: AppError,
): FieldErrors {
  return Object.fromEntries(
    Object.entries(faults ?? { non_field_errors: [publicMessage] }).map(([field, messages]) => [
      field,
      messages.map((message) => inLanguage(language, message)),
    ]),
  );
}

/**
 * Reports the faults of a search's filters under the names of the form's fields. People may type numbers in
 * more forms than the API accepts, so the page explains them in its own words.
 * @param labels names of the form's fields
 */
export function filterFaults(
  { language, words }: Visit,
  error: AppError,
  labels: Record<string, string>,
): string {
  const isNoNumber = (name: string): boolean =>
    isNumberFilter(name) &&
    error.faults?.[name]?.some(({ code }) => code === "notInteger" || code === "notNumber") ===
      true;
  return Object.entries(cutFaults(errorMessages(language, error)))
    .map(([name, messages]) => {
      const text = isNoNumber(name) ? words.explorerPages.likeNumber : messages.join(" ");
      return name in labels ? `${labels[name]}: ${text}` : text;
    })
    .join(" ");
}

/** Limit for all faults on a page, in bytes of its source; what was typed may be shown in addition. */
export const FAULT_BYTES_MAX = 3 * 1024;

/** Truncates an error's faults to the page's limit; domains already limit how many there are. */
export function cutFaults(faults: FieldErrors): FieldErrors {
  let bytesLeft = FAULT_BYTES_MAX;
  const cut: FieldErrors = {};
  for (const [field, messages] of Object.entries(faults)) {
    cut[field] = messages.map((message) => {
      const text = cutText(message, bytesLeft);
      bytesLeft -= bytesIn(text);
      return text;
    });
  }
  return cut;
}

/** @param bytesMax in the page's source, without the ellipsis */
export function cutText(text: string, bytesMax: number): string {
  let bytes = 0;
  let length = 0;
  for (const character of text) {
    bytes += bytesIn(character);
    if (bytes > bytesMax) return `${text.slice(0, length)}…`;
    length += character.length;
  }
  return text;
}

function bytesIn(text: string): number {
  return Buffer.byteLength(Bun.escapeHTML(text));
}

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
