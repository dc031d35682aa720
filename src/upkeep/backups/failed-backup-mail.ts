import { onOneLine } from "../../ports/mail.ts";
import { formatInstant } from "../../values/moscow-time.ts";

/** Of the paragraphs, in their order. */
const LANGUAGES = ["ru", "en"];

/** What staff is told when the daily backup could not be written. */
export function failedBackupMail(
  folder: string,
  reason: string,
  failedAt: number,
): { subject: string; text: string; html: string } {
  const paragraphs = [
    "Не удалось записать ежедневную резервную копию базы. Прежние копии целы. Проверьте место на " +
      "диске и права на папку; следующая попытка — завтра в 04:00 по Москве, или сразу: страница " +
      "заданий в консоли службы, либо kanalog backup FILE.",
    "The daily backup of the database could not be written. Former backups are untouched. Look at the " +
      "disk's free space and the folder's rights; the next attempt is tomorrow at 04:00 Moscow time, " +
      "or at once: the page of jobs in staff's console, or kanalog backup FILE.",
  ];
  const facts = [
    `Папка / Folder: ${onOneLine(folder)}`,
    `Время / Time: ${formatInstant(failedAt)}`,
    `Причина / Reason: ${onOneLine(reason)}`,
  ];
  const toHtml = (part: string, at: number): string =>
    `<p lang="${LANGUAGES[at] ?? "en"}">${Bun.escapeHTML(part)}</p>`;
  return {
    subject: "Резервная копия не записана / The backup failed",
    text: `${paragraphs.join("\n\n")}\n\n${facts.join("\n")}\n`,
    html: [...paragraphs, ...facts].map(toHtml).join("\n"),
  };
}
