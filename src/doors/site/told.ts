import type { AppError, FieldErrors } from "../../errors.ts";
import type { Language } from "../../values/language.ts";
import { inLanguage } from "../../values/messages/messages.ts";

/** All that an error says, in the visitor's language; what is of no field by itself. */
export function told(language: Language, { faults, said }: AppError): FieldErrors {
  return Object.fromEntries(
    Object.entries(faults ?? { non_field_errors: [said] }).map(([field, messages]) => [
      field,
      messages.map((message) => inLanguage(language, message)),
    ]),
  );
}
