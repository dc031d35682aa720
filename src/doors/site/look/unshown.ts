/** Matches control characters, and those that change the writing direction of what follows. */
const UNSHOWN = /\p{Bidi_Control}|(?![\t\n\r])\p{Cc}/gu;

/** A text without the characters that pages remove. */
export function withoutUnshown(text: string): string {
  return text.replace(UNSHOWN, "");
}
