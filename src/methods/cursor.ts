import { createHmac, timingSafeEqual } from "node:crypto";
import { fieldError } from "../errors.ts";
import { toJsonText } from "../values/json-text.ts";
import { message } from "../values/messages/messages.ts";

export const INVALID_CURSOR = message("invalidCursor");

/** The place where a page ended: its last item's values in the ordering's columns. */
export type Position = readonly (number | null)[];

export type Cursors = ReturnType<typeof createCursors>;

const SIGNATURE_BYTES = 9;
const CURSOR = /^[\w-]{13,400}$/;

/**
 * Opaque cursors: a position, signed with a secret that is kept in the database file. So each process
 * on the file takes the cursors of the others, and a forged one is refused. `scope` is the ordering a
 * cursor belongs to.
 */
export function createCursors(secret: Uint8Array) {
  function sign(scope: string, payload: string): Buffer {
    return createHmac("sha256", secret)
      .update(`${scope} ${payload}`)
      .digest()
      .subarray(0, SIGNATURE_BYTES);
  }

  return {
    write(scope: string, position: Position): string {
      const payload = toJsonText(position);
      return Buffer.concat([sign(scope, payload), Buffer.from(payload)]).toString("base64url");
    },

    /** @throws AppError `invalid` on `cursor` for one that was not written here, or for another scope */
    read<P extends Position>(scope: string, cursor: string): P {
      const bytes = Buffer.from(cursor, "base64url");
      const signature = bytes.subarray(0, SIGNATURE_BYTES);
      const payload = bytes.subarray(SIGNATURE_BYTES).toString();
      const genuine =
        CURSOR.test(cursor) &&
        // Two texts may decode to the same bytes; only the one that was written is ours.
        bytes.toString("base64url") === cursor &&
        timingSafeEqual(signature, sign(scope, payload));
      if (!genuine) throw fieldError({ cursor: [INVALID_CURSOR] });
      return JSON.parse(payload) as P;
    },
  };
}
