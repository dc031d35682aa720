import type { FieldErrors } from "../../errors.ts";

/** Bounds of all fault texts on a page; what was typed may be shown again besides. */
const FAULTS_MAX = 20;
export const FAULT_BYTES_MAX = 3 * 1024;

/** As many of them as a page shows, each cut where the page would say too much. */
export function boundedFaults(faults: FieldErrors): FieldErrors {
  let left = FAULTS_MAX;
  let bytesLeft = FAULT_BYTES_MAX;
  const bounded: FieldErrors = {};
  for (const [field, messages] of Object.entries(faults)) {
    const shown = messages.slice(0, left).map((message) => {
      const text = cutText(message, bytesLeft);
      bytesLeft -= bytesIn(text);
      return text;
    });
    left -= shown.length;
    if (shown.length > 0) bounded[field] = shown;
  }
  return bounded;
}

/** @param bytesMax in the page's source, an ellipsis left out */
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
