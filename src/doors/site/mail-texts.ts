import { passwordAddress } from "../../customers/people/passwords.ts";
import { type Message as Mail, onOneLine } from "../../ports/mail.ts";
import { inEveryLanguage, type Message, message } from "../../values/messages/messages.ts";

export function passwordMail(baseAddress: string, email: string, token: string): Mail {
  return mailWithLink(email, {
    subject: message("passwordMailSubject"),
    paragraph: message("passwordMail"),
    address: passwordAddress(baseAddress, token),
  });
}

export function signUpMail(baseAddress: string, email: string, token: string): Mail {
  return mailWithLink(email, {
    subject: message("signUpSubject"),
    paragraph: message("signUpMail"),
    address: `${baseAddress}/account/sign-up/?token=${token}`,
  });
}

/** Mail to somebody who already has an account, after their address was used to sign up. */
export function knownAddressMail(baseAddress: string, email: string): Mail {
  return mailWithLink(email, {
    subject: message("signUpSubject"),
    paragraph: message("signUpKnown"),
    address: `${baseAddress}/account/sign-in/`,
  });
}

/** Mail to somebody invited to an organization. @param token null if they have a password */
export function invitationMail(
  baseAddress: string,
  email: string,
  given: { organization: string; inviter: string },
  token: string | null,
): Mail {
  const organization = onOneLine(given.organization);
  return mailWithLink(email, {
    subject: message("invitationSubject", { organization }),
    paragraph: message("invitation", { organization, inviter: onOneLine(given.inviter) }),
    address: token === null ? `${baseAddress}/account/` : passwordAddress(baseAddress, token),
  });
}

function mailWithLink(
  email: string,
  { subject, paragraph, address }: { subject: Message; paragraph: Message; address: string },
): Mail {
  const paragraphs = inEveryLanguage(paragraph);
  const link = `<p><a href="${Bun.escapeHTML(address)}">${Bun.escapeHTML(address)}</a></p>`;
  return {
    to: [email],
    subject: inEveryLanguage(subject)
      .map(({ text }) => text)
      .join(" / "),
    text: paragraphs.map(({ text }) => `${text}\n\n${address}\n`).join("\n--\n\n"),
    html: paragraphs
      .map(({ language, text }) => {
        return `<div lang="${language}"><p>${Bun.escapeHTML(text)}</p>${link}</div>`;
      })
      .join("<hr>"),
  };
}
