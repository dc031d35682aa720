import { passwordAddress } from "../../customers/people/password-address.ts";
import { type Message, onOneLine } from "../../ports/mail.ts";

/** The same in Russian and in English. */
type Bilingual = [russian: string, english: string];
const LANGUAGES = ["ru", "en"];

export { passwordAddress };

/** For somebody who forgot theirs. */
export function passwordMail(baseAddress: string, email: string, token: string): Message {
  return bilingual(email, {
    subject: ["Новый пароль для Kanalog", "A new password for Kanalog"],
    text: [
      "Вы, или кто-то вместо вас, попросили новый пароль. Выберите его по ссылке; она действует три дня и только один раз. Если это были не вы, ничего не делайте.",
      "You, or somebody for you, asked for a new password. Choose it by this link; it works for three days, and once. If it was not you, do nothing.",
    ],
    address: passwordAddress(baseAddress, token),
  });
}

/** For somebody who was invited into an organization. @param token null where they have a password */
export function invitationMail(
  baseAddress: string,
  email: string,
  given: { organization: string; inviter: string },
  token: string | null,
): Message {
  const organization = onOneLine(given.organization);
  const inviter = onOneLine(given.inviter);
  return bilingual(email, {
    subject: [`Приглашение: ${organization}`, `Invitation: ${organization}`],
    text: [
      `${inviter} приглашает вас в организацию «${organization}». Войдите по ссылке.`,
      `${inviter} invites you into the organization ${organization}. Come in by this link.`,
    ],
    address: token === null ? `${baseAddress}/account/` : passwordAddress(baseAddress, token),
  });
}

/** One message in both languages, since nobody knows which one its reader speaks. */
function bilingual(
  email: string,
  { subject, text, address }: { subject: Bilingual; text: Bilingual; address: string },
): Message {
  const link = `<p><a href="${Bun.escapeHTML(address)}">${Bun.escapeHTML(address)}</a></p>`;
  return {
    to: [email],
    subject: subject.join(" / "),
    text: text.map((part) => `${part}\n\n${address}\n`).join("\n--\n\n"),
    html: text
      .map((part, at) => `<div lang="${LANGUAGES[at]}"><p>${Bun.escapeHTML(part)}</p>${link}</div>`)
      .join("<hr>"),
  };
}
