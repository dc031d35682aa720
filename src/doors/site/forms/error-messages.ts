import type { AppError, FieldErrors } from "../../../errors.ts";
import type { Language } from "../../../values/language.ts";
import { inLanguage } from "../../../values/messages/messages.ts";

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
