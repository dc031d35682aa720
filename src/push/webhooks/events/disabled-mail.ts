import { onOneLine } from "../../../ports/mail.ts";
import { formatInstant } from "../../../values/moscow-time.ts";
import type { Webhook } from "../manage/webhooks.table.ts";

/** Of the paragraphs, in their order. */
const LANGUAGES = ["ru", "en"];

/** What owners and administrators are told when a webhook was disabled for its failures. */
export function disabledMail(
  { id, url, lastError, lastSuccessAt }: Webhook,
  organizationName: string,
): { subject: string; text: string; html: string } {
  const organization = onOneLine(organizationName);
  const success = lastSuccessAt === null ? "—" : formatInstant(lastSuccessAt);
  const paragraphs = [
    `За сутки не удалась ни одна доставка вебхука ${id} организации «${organization}», и он ` +
      "выключен: новые публикации на него не отправляются. Когда приёмник снова заработает, " +
      "проверьте его пробной доставкой и включите вебхук на странице ключей или методом PATCH.",
    `Not a single delivery of webhook ${id} of ${organization} succeeded for a day, so it was ` +
      "disabled: posts read from now on are not sent to it. When the receiver works again, try it " +
      `with POST /v1/msgr/webhooks/${id}/test/ and enable the webhook on the page of API keys, or ` +
      `with PATCH /v1/msgr/webhooks/${id}/ {"is_active": true}. Posts are then sent from that moment.`,
  ];
  const facts = [
    `Адрес / Address: ${onOneLine(url)}`,
    `Ошибка / Last error: ${onOneLine(lastError)}`,
    `Последний успех / Last success: ${success}`,
  ];
  const toHtml = (part: string, at: number): string =>
    `<p lang="${LANGUAGES[at] ?? "en"}">${Bun.escapeHTML(part)}</p>`;
  return {
    subject: `Вебхук ${id} выключен / Webhook ${id} was disabled: ${organization}`,
    text: `${paragraphs.join("\n\n")}\n\n${facts.join("\n")}\n`,
    html: [...paragraphs, ...facts].map(toHtml).join("\n"),
  };
}
