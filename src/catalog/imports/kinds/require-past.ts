import { message } from "../../../values/messages/messages.ts";
import { RowFault } from "./import-kind.ts";

/** How far another machine's clock may be ahead of ours. */
const AHEAD_MAX_MS = 5 * 60 * 1000;

/** @throws RowFault for an instant in the future */
export function requirePast(
  column: string,
  instantMs: number | null | undefined,
  nowMs: number,
): void {
  if (instantMs != null && instantMs > nowMs + AHEAD_MAX_MS) {
    throw new RowFault(column, message("inFuture"));
  }
}
