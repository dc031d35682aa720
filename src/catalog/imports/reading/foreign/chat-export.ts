import { AppError } from "../../../../errors.ts";
import { isObject } from "../../../../values/json-text.ts";
import { message } from "../../../../values/messages/messages.ts";

/**
 * Refuses a messenger's export that is being read as if it had our columns.
 * @param first beginning of the text
 * @throws AppError `invalid` that says how to import it
 */
export function refuseChatExport(first: string): void {
  const isDesktop = /^\s*\{[^{}[\]]*"messages"\s*:\s*\[/.test(first);
  if (isDesktop)
    throw new AppError("invalid", message("isChatExport", { from: "telegram-desktop" }));
  if (/^\s*\[?\s*\{\s*"_"\s*:\s*"Message(Service)?"\s*,/.test(first)) {
    const from = /"peer_id"\s*:/.test(first) ? "telethon" : "pyrogram";
    throw new AppError("invalid", message("isChatExport", { from }));
  }
}

/** Sum of a post's reactions, from a list with a `count` each; undefined if unknown. */
export function sumOfCounts(reactions: unknown): number | undefined {
  if (!Array.isArray(reactions)) return undefined;
  let sum = 0;
  for (const one of reactions) {
    if (!isObject(one) || typeof one["count"] !== "number") return undefined;
    sum += one["count"];
  }
  return sum;
}
