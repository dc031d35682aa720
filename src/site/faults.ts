import { AppError, fieldError } from "../errors.ts";

/** Runs a check whose field has another name in the form. @throws AppError `invalid` on `to` */
export function renamingFault<T>(from: string, to: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    const messages = error instanceof AppError ? error.fields?.[from] : undefined;
    throw messages === undefined ? error : fieldError({ [to]: messages });
  }
}
