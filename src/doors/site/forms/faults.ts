import { AppError, type ErrorCode, type FieldFaults, fieldError } from "../../../errors.ts";
import { message, verbatim } from "../../../values/messages/messages.ts";

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
