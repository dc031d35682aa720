import { createHmac, timingSafeEqual } from "node:crypto";
import { fieldError } from "../errors.ts";
import { toJsonText } from "../values/json-text.ts";
import { message } from "../values/messages/messages.ts";
import type { ApiMethod } from "./method.ts";
import { packCursor, shapeOf, unpackCursor } from "./short-cursor.ts";

export const INVALID_CURSOR = message("invalidCursor");

/** The position where a page ended: its last item's values in the ordering's columns. */
export type Position = readonly (number | string | null)[];

export interface OpenedCursor {
  at: Position;
  of: Readonly<Record<string, string>>;
}

export type Cursors = ReturnType<typeof createCursors>;

const SIGNATURE_BYTES = 9;
/** Of short cursors: nobody can make up what a call could not ask for anyway. */
const SHORT_SIGNATURE_BYTES = 4;
/** Longest `cursor` argument: the URL of a next page with the longest filters. */
export const CURSOR_LENGTH_MAX = 48_000;
/** Longer than a signature alone; the maximum length is that of the argument. */
const CURSOR = /^[\w-]{13,}$/;

/**
 * Opaque cursors, signed with a secret stored in the database file, so that every process on the file
 * accepts the others' cursors and forged ones are refused.
 */
export function createCursors(secret: Uint8Array) {
  /** @param scope the method's operation id */
  function sign(scope: string, payload: string | Uint8Array, bytes = SIGNATURE_BYTES): Buffer {
    const hmac = createHmac("sha256", secret).update(`${scope} `).update(payload);
    return hmac.digest().subarray(0, bytes);
  }

  /** @throws AppError `invalid` on `cursor` if it was not issued here, or for another scope */
  function payloadOf(scope: string, cursor: string): string {
    const bytes = Buffer.from(cursor, "base64url");
    const signature = bytes.subarray(0, SIGNATURE_BYTES);
    const payload = bytes.subarray(SIGNATURE_BYTES).toString();
    const genuine =
      CURSOR.test(cursor) &&
      // Different texts may decode to the same bytes; only the canonical one was issued.
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

    /** @throws AppError `invalid` on `cursor` */
    open: (scope: string, cursor: string): OpenedCursor => JSON.parse(payloadOf(scope, cursor)),

    /** A cursor for a tool, at most 24 characters long unless its list is of a long text or of many filters. */
    writeShort(tool: ApiMethod, opened: OpenedCursor): string {
      const payload = packCursor(tool, opened);
      const signature = sign(shapeOf(tool), payload, SHORT_SIGNATURE_BYTES);
      return Buffer.concat([signature, payload]).toString("base64url");
    },

    /** As `open` for a short cursor; null for any other text. */
    openShort(tool: ApiMethod, cursor: string): OpenedCursor | null {
      const bytes = Buffer.from(cursor, "base64url");
      const payload = bytes.subarray(SHORT_SIGNATURE_BYTES);
      const isGenuine =
        payload.length > 0 &&
        bytes.toString("base64url") === cursor &&
        sign(shapeOf(tool), payload, SHORT_SIGNATURE_BYTES).equals(
          bytes.subarray(0, SHORT_SIGNATURE_BYTES),
        );
      return isGenuine ? unpackCursor(tool, payload) : null;
    },
  };
}
