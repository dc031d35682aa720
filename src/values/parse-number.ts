/** At most so many digits: JavaScript holds every number of them exactly. */
const NUMBER = /^\d{1,15}$/;

/** The number that a text names in digits alone, as in an address or a form; null for any other text. */
export function parseNumber(text: string): number | null {
  return NUMBER.test(text) ? Number(text) : null;
}
