/** Up to 15 digits, which JavaScript represents exactly. */
const NUMBER = /^\d{1,15}$/;

/** Parses a number written in digits only, as in an address or a form; null for any other text. */
export function parseNumber(text: string): number | null {
  return NUMBER.test(text) ? Number(text) : null;
}
