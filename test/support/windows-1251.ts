/** All characters of Windows-1251, by byte. */
const LETTERS = new TextDecoder("windows-1251").decode(
  Uint8Array.from({ length: 256 }, (_, byte) => byte),
);

/** A text in Windows-1251, as Russian Excel saves it. */
export function windows1251(text: string): Buffer {
  return Buffer.from([...text].map((letter) => LETTERS.indexOf(letter)));
}
