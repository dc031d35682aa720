import { fieldError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";
import { parseDay, startOfDay } from "../../values/moscow-time.ts";

/** The last day that is taken: the one after it still has a year of four digits. */
const LAST_DAY = parseDay("9999-12-30") ?? 0;

/**
 * Reads the last day of something as it was typed.
 * @returns the instant at which that day ends in Moscow; null where nothing was typed
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
