/** RFC 9110, section 5. */
const HEADER = /^([!#$%&'*+.^_`|~0-9a-z-]+):\s*([\t -~]*)$/i;

/** Parses a header such as `Authorization: Bearer abc`; null for any other text. */
export function readHeader(text: string): Record<string, string> | null {
  const [, name, value] = HEADER.exec(text.trim()) ?? [];
  return name === undefined || value === undefined ? null : { [name.toLowerCase()]: value.trim() };
}
