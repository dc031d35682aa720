import {
  AppError,
  type ErrorCode,
  type FieldErrors,
  type FieldFaults,
  fieldError,
} from "../../../errors.ts";
import type { Language } from "../../../values/messages/language.ts";
import { inLanguage, message, verbatim } from "../../../values/messages/messages.ts";
import type { Visit } from "../visit/visit.ts";
import { cutFaults } from "./cut-text.ts";
import { isNumberFilter } from "./typed-number.ts";

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
