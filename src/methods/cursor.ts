import { createHmac, timingSafeEqual } from "node:crypto";
import { fieldError } from "../errors.ts";
import { toJsonText } from "../values/json-text.ts";
import { message } from "../values/messages/messages.ts";

export const INVALID_CURSOR = message("invalidCursor");

/** The place where a page ended: its last item's values in the ordering's columns. */
export type Position = readonly (number | string | null)[];

/** A cursor's content: the place where its page ended, and the filters of the list, as texts by name. */
export interface OpenedCursor {
  at: Position;
  of: Readonly<Record<string, string>>;
}

export type Cursors = ReturnType<typeof createCursors>;

const SIGNATURE_BYTES = 9;
/** Longest argument `cursor`: the address of a next page with the longest filters. */
export const CURSOR_LENGTH_MAX = 48_000;
/** Its length is bounded by that of the argument. */
const CURSOR = /^[\w-]{13,}$/;
/** The beginning of a former cursor's content, which was a position without filters. */
const FORMER = "[";

/**
 * Opaque cursors, signed with a secret that is kept in the database file. So each process on the file
 * takes the cursors of the others, and a forged one is refused. Former cursors carried no filters and are
 * told apart by how their content begins: they go on beside the filters that their `next` has, for lists
 * that were being read while the appliance was upgraded.
 */
export function createCursors(secret: Uint8Array) {
  /** @param scope the method's operation id; for a former cursor, its ordering */
  function sign(scope: string, payload: string): Buffer {
    return createHmac("sha256", secret)
      .update(`${scope} ${payload}`)
      .digest()
      .subarray(0, SIGNATURE_BYTES);
  }

  /** @throws AppError `invalid` on `cursor` for one that was not written here, or for another scope */
  function payloadOf(scope: string, cursor: string): string {
    const bytes = Buffer.from(cursor, "base64url");
    const signature = bytes.subarray(0, SIGNATURE_BYTES);
    const payload = bytes.subarray(SIGNATURE_BYTES).toString();
    const genuine =
      CURSOR.test(cursor) &&
      // Two texts may decode to the same bytes; only the one that was written is ours.
      bytes.toString("base64url") === cursor &&
      timingSafeEqual(signature, sign(scope, payload));
    if (!genuine) throw fieldError({ cursor: [INVALID_CURSOR] });
    return payload;
  }

  return {
    write(scope: string, opened: OpenedCursor): string {
      const payload = toJsonText(opened);
      return Buffer.concat([sign(scope, payload), Buffer.from(payload)]).toString("base64url");
    },

    isFormer: (cursor: string): boolean =>
      Buffer.from(cursor, "base64url").subarray(SIGNATURE_BYTES).toString().startsWith(FORMER),

    /** @throws AppError `invalid` on `cursor` */
    open: (scope: string, cursor: string): OpenedCursor => JSON.parse(payloadOf(scope, cursor)),

    /** @throws AppError `invalid` on `cursor` */
    openFormer: (scope: string, cursor: string): Position => JSON.parse(payloadOf(scope, cursor)),
  };
}
