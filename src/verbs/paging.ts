import { createHmac, timingSafeEqual } from "node:crypto";
import { fieldError } from "../errors.ts";
import type { Read } from "../values/fields.ts";
import { type Json, type Page, pageJson, toJsonText } from "../values/json-text.ts";
import { message } from "../values/messages/messages.ts";
import type { Properties, Schema, ValueOf } from "../values/schema.ts";
import * as shape from "../values/schema.ts";
import type { ApiMethod, Call, Described } from "./method.ts";
import { integer, text, withDefault } from "./parameters.ts";
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

/** `{results}`: a list without pages. */
export function listOf<T>(item: Schema<T>) {
  return shape.object({ results: shape.list(item) });
}

/** As `pageOf`, with members that only some pages have. */
export function pageWith<T, More extends Properties>(item: Schema<T>, more: More) {
  const page = pageOf(item);
  const properties = { ...page.properties, ...more };
  return { ...page, properties } as unknown as Schema<
    ValueOf<typeof page> & { [Name in keyof More]?: ValueOf<More[Name]> }
  >;
}

/** `{results, next}`: one page of a list. */
export function pageOf<T>(item: Schema<T>) {
  const next = shape.text({
    format: "uri",
    description: "Address of the next page; null on the last one",
  });
  return shape.object({ results: shape.list(item), next: shape.nullable(next) });
}

/** The items of one page, and the position of the last one; `last` is null if nothing follows. */
export interface Slice<View, P extends Position, More extends object = object> {
  results: Json<View[]>;
  last: P | null;
  /** Further members of the answer. */
  more?: More;
}

export const pageParameters = {
  limit: withDefault(integer("Page size.", { example: 10, minimum: 1, maximum: 100 }), 50),
  cursor: {
    ...text(
      "For the next page: `next` unchanged, or its text after `cursor=`, such as " +
        "c3-d7hs5IYsXeyJh; filters may be omitted.",
    ),
    read: (given: unknown): Read<string> => {
      if (typeof given === "number") return { fault: INVALID_CURSOR };
      if (typeof given !== "string") return { fault: message("notText") };
      return given.length > CURSOR_LENGTH_MAX ? { fault: INVALID_CURSOR } : { value: given };
    },
  },
};

/**
 * Reads the page after a cursor, by keyset rather than offset, and adds the URL of the next page.
 * @param fixed arguments as the cursor carries them, such as a number instead of a handle
 * @throws AppError `invalid` on `cursor`
 */
export async function readPage<View, P extends Position, More extends object = object>(
  { after, nextUrl }: Call,
  select: (after: P | null) => Slice<View, P, More> | Promise<Slice<View, P, More>>,
  fixed: Readonly<Record<string, string>> = {},
): Promise<Json<Page<View> & More>> {
  const { results, last, more } = await select(after(fixed) as P | null);
  return pageJson(results, last === null ? null : nextUrl(last, fixed), more);
}

/**
 * Schemas of results from which a caller may omit fields: an answer to `fields` may lack fields that are
 * otherwise required.
 */

/** The result with complete items, or with some of their fields. */
export function wholeOrPart(method: Described): Schema<unknown> {
  return changed(method, (item) => shape.either(item, partOf(item)));
}

/** The result with items whose fields are all optional. */
export function anyPart(method: Described): Schema<unknown> {
  return changed(method, partOf);
}

/** Changes the schema of a list's items, or of the result itself if it is not a list. */
function changed(
  { parameters, result }: Described,
  change: (item: Schema<unknown>) => Schema<unknown>,
): Schema<unknown> {
  if (parameters["fields"] === undefined) return result;
  const properties = result["properties"] as Record<string, Schema<unknown>>;
  const { results } = properties;
  if (results === undefined) return change(result);
  const items = change(results["items"] as Schema<unknown>);
  return { ...result, properties: { ...properties, results: { ...results, items } } };
}

/** The schema of an item of which only some fields may be present. */
function partOf(item: Schema<unknown>): Schema<unknown> {
  const { $id, required: _, ...rest } = item;
  return {
    ...rest,
    ...($id !== undefined && { $id: `${$id}Part` }),
    description: "With `fields`: only those",
  } as Schema<unknown>;
}
