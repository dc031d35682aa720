import { fieldError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import { parseEndOfDay } from "../../../values/moscow-time.ts";

/**
 * Parses a last day as typed.
 * @returns the instant at which that day ends in Moscow; null if nothing was typed
 * @throws AppError `invalid` on `ends`
 */
export function readLastDay(text: string, nowMs: number): number | null {
  if (text.trim() === "") return null;
  const endsAt = parseEndOfDay(text.trim());
  if (endsAt === null) {
    throw fieldError({ ends: [message("notDaySuchAs", { example: "2027-12-31" })] });
  }
  if (endsAt <= nowMs) throw fieldError({ ends: [message("dayIsOver")] });
  return endsAt;
}
