import { onOneLine } from "../../ports/mail.ts";
import { inEveryLanguage, type Message } from "../../values/messages/messages.ts";

/** A mail about an event: a paragraph in every language, followed by the facts. */
export function noticeMail(
  subject: Message,
  paragraph: Message,
  facts: readonly (readonly [name: Message, value: string])[],
): { subject: string; text: string; html: string } {
  const paragraphs = inEveryLanguage(paragraph);
  const lines = facts.map(([name, value]) => `${onOneRow(name)}: ${onOneLine(value)}`);
  const toHtml = (language: string, text: string): string =>
    `<p lang="${language}">${Bun.escapeHTML(text)}</p>`;
  return {
    subject: onOneRow(subject),
    text: `${paragraphs.map(({ text }) => text).join("\n\n")}\n\n${lines.join("\n")}\n`,
    html: [
      ...paragraphs.map(({ language, text }) => toHtml(language, text)),
      ...lines.map((line) => toHtml("en", line)),
    ].join("\n"),
  };
}

/** A message in every language, on one line. */
function onOneRow(message: Message): string {
  return inEveryLanguage(message)
    .map(({ text }) => text)
    .join(" / ");
}
