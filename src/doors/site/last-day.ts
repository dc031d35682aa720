import { fieldError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";
import { parseDay, startOfDay } from "../../values/moscow-time.ts";

/** The day after it can still be written with four digits of the year. */
const LAST_DAY = parseDay("9999-12-30") ?? 0;

/**
 * A day as it was typed, meant through its last Moscow second.
 * @returns the instant at which the next one starts; null where nothing was typed
 * @throws AppError `invalid` on `ends`
 */
export function readLastDay(text: string, nowMs: number): number | null {
  if (text.trim() === "") return null;
  const day = parseDay(text.trim());
  if (day === null || day > LAST_DAY) {
    throw fieldError({ ends: [message("notDaySuchAs", { example: "2027-12-31" })] });
  }
  const endsAt = startOfDay(day + 1);
  if (endsAt <= nowMs) throw fieldError({ ends: [message("dayIsOver")] });
  return endsAt;
}
