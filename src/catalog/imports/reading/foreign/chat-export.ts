import { AppError } from "../../../../errors.ts";
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
