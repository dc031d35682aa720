import type { FieldErrors } from "../../../errors.ts";

/** Limit for all faults on a page, in bytes of its source; what was typed may be shown in addition. */
export const FAULT_BYTES_MAX = 3 * 1024;

/** Truncates an error's faults to the page's limit; domains already limit how many there are. */
export function cutFaults(faults: FieldErrors): FieldErrors {
  let bytesLeft = FAULT_BYTES_MAX;
  const cut: FieldErrors = {};
  for (const [field, messages] of Object.entries(faults)) {
    cut[field] = messages.map((message) => {
      const text = cutText(message, bytesLeft);
      bytesLeft -= bytesIn(text);
      return text;
    });
  }
  return cut;
}

/** @param bytesMax in the page's source, without the ellipsis */
export function cutText(text: string, bytesMax: number): string {
  let bytes = 0;
  let length = 0;
  for (const character of text) {
    bytes += bytesIn(character);
    if (bytes > bytesMax) return `${text.slice(0, length)}…`;
    length += character.length;
  }
  return text;
}

function bytesIn(text: string): number {
  return Buffer.byteLength(Bun.escapeHTML(text));
}
