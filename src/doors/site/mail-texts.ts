import { passwordAddress } from "../../customers/people/passwords.ts";
import { type Message as Mail, onOneLine } from "../../ports/mail.ts";
import type { Language, Message } from "../../values/messages/messages.ts";
import { inLanguage, message } from "../../values/messages/messages.ts";

/** The appliance's address and brand, which a mail names, and the language of whoever asked for it. */
interface Reader {
  baseAddress: string;
  brand: string;
  language: Language;
}

export function passwordMail(reader: Reader, email: string, token: string): Mail {
  return mailWithLink(reader, email, {
    subject: message("passwordMailSubject", { brand: reader.brand }),
    paragraph: message("passwordMail"),
    address: passwordAddress(reader.baseAddress, token),
  });
}

export function signUpMail(reader: Reader, email: string, token: string): Mail {
  return mailWithLink(reader, email, {
    subject: message("signUpSubject", { brand: reader.brand }),
    paragraph: message("signUpMail"),
    address: `${reader.baseAddress}/account/sign-up/?token=${token}`,
  });
}

/** Mail to somebody who already has an account, after their address was used to sign up. */
export function knownAddressMail(reader: Reader, email: string): Mail {
  return mailWithLink(reader, email, {
    subject: message("signUpSubject", { brand: reader.brand }),
    paragraph: message("signUpKnown"),
    address: `${reader.baseAddress}/account/sign-in/`,
  });
}

/** Mail to somebody invited to an organization. @param token null if they have a password */
export function invitationMail(
  reader: Reader,
  email: string,
  given: { organization: string; inviter: string },
  token: string | null,
): Mail {
  const organization = onOneLine(given.organization);
  return mailWithLink(reader, email, {
    subject: message("invitationSubject", { organization }),
    paragraph: message("invitation", { organization, inviter: onOneLine(given.inviter) }),
    address:
      token === null
        ? `${reader.baseAddress}/account/`
        : passwordAddress(reader.baseAddress, token),
  });
}

function mailWithLink(
  { language }: Reader,
  email: string,
  { subject, paragraph, address }: { subject: Message; paragraph: Message; address: string },
): Mail {
  const text = inLanguage(language, paragraph);
  const link = Bun.escapeHTML(address);
  return {
    to: [email],
    subject: inLanguage(language, subject),
    text: `${text}\n\n${address}\n`,
    html: `<div lang="${language}"><p>${Bun.escapeHTML(text)}</p><p><a href="${link}">${link}</a></p></div>`,
  };
}
