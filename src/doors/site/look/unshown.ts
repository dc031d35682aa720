/** Control characters, and those that turn the writing direction of what follows. */
const UNSHOWN = /\p{Bidi_Control}|(?![\t\n\r])\p{Cc}/gu;

/** A text without the characters that pages leave out. */
export function withoutUnshown(text: string): string {
  return text.replace(UNSHOWN, "");
}
