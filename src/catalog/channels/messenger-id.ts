import { message } from "../../values/messages/messages.ts";
import { type Column, column, isRounded, withoutZeros } from "../fields/columns.ts";

/**
 * Messenger ids of channels are 64-bit integers, which JavaScript numbers cannot hold, so they are texts of
 * digits everywhere except in the database.
 */

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/**
 * Telegram also writes channel N as -10^12 - N, which looks like a prefix -100. Its largest N is 10^12 -
 * 2^31.
 */
const PREFIX = -(10n ** 12n);
const PREFIXED_MIN = PREFIX - (10n ** 12n - 2n ** 31n);

/**
 * The canonical form of a messenger id, which for Telegram is the one without the prefix; null if the text
 * is not a 64-bit integer.
 */
export function parseMessengerId(text: string): string | null {
  if (!/^[+-]?\d{1,40}$/.test(text)) return null;
  const given = BigInt(text.replace("+", ""));
  const id = given < PREFIX && given >= PREFIXED_MIN ? PREFIX - given : given;
  return id < INT64_MIN || id > INT64_MAX ? null : String(id);
}

/** A messenger id in a file: digits, or a JSON number that is exact. */
export function messengerIdColumn(): Column<string> {
  return column((given) => {
    if (isRounded(given)) return { fault: message("giveAsString") };
    const isText = typeof given === "string" || typeof given === "number";
    const value = isText ? parseMessengerId(withoutZeros(String(given).trim())) : null;
    return value === null ? { fault: message("notMessengerId") } : { value };
  });
}
