import { deflateRawSync, inflateRawSync } from "node:zlib";
import { CURSOR_LENGTH_MAX, SIGNATURE_BYTES } from "../../verbs/cursor.ts";

/**
 * Cursors as assistants get them: a model copies each character, and pays for it. The signature stays; what
 * it signs is compressed with a dictionary of what cursors usually contain, to a third.
 */

/** Part of the format: where it changes, cursors given out before are refused. */
const DICTIONARY = Buffer.from(
  '"is_ad":"false","media":"photo","views_min":"reach_30d_min":"err_30d_min":"growth_30d_min":"verified":"true",' +
    '"a_plus":"true","kind":"chat","fields":"mentioned_by,published_at","fields":"id,channel,published_at,snippet",' +
    '"fields":"id,text,views,published_at","fields":"id,title,handle,subscribers","include":"metrics",' +
    '"from":"2026-01-01","to":"2026-12-31","territory":"moskva","category":"science","category":"news",' +
    '"subscribers_min":"1000","subscribers_max":"100000","ordering":"-growth_30d_percent","ordering":"-views",' +
    '"ordering":"-subscribers","limit":"50","limit":"20","limit":"10","channel":"{"at":[1],"of":{"q":"',
);

/** The start of what a cursor signs. */
const PLAIN = Buffer.from('{"at":');

export function compactCursor(cursor: string): string {
  const bytes = Buffer.from(cursor, "base64url");
  const payload = deflateRawSync(bytes.subarray(SIGNATURE_BYTES), { dictionary: DICTIONARY });
  return Buffer.concat([bytes.subarray(0, SIGNATURE_BYTES), payload]).toString("base64url");
}

/** The cursor of the API; a text that is none is returned as it is, for the method to refuse. */
export function fullCursor(given: string): string {
  const bytes = Buffer.from(given, "base64url");
  const payload = bytes.subarray(SIGNATURE_BYTES);
  if (bytes.toString("base64url") !== given || payload.indexOf(PLAIN) === 0) return given;
  try {
    const options = { dictionary: DICTIONARY, maxOutputLength: CURSOR_LENGTH_MAX };
    const full = inflateRawSync(payload, options);
    const cursor = Buffer.concat([bytes.subarray(0, SIGNATURE_BYTES), full]).toString("base64url");
    // Anything may follow what is compressed.
    return compactCursor(cursor) === given ? cursor : given;
  } catch {
    return given;
  }
}
