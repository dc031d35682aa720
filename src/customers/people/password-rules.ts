import { fieldError } from "../../errors.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import { isCommonPassword } from "./common-passwords.ts";

export const PASSWORD_LENGTH_MIN = 10;
export const PASSWORD_LENGTH_MAX = 128;
/** A shorter name occurs in words by chance. */
const NAME_LENGTH_MIN = 4;

/** Returns the password if it passes `passwordFault`. @throws AppError `invalid` on `password` */
export function requirePassword(password: string, email: string): string {
  const fault = passwordFault(password, email);
  if (fault !== null) throw fieldError({ password: [fault] });
  return password;
}

/**
 * Checks a password against NIST SP 800-63B: long enough, not the name of its account or of the service,
 * and not among those guessed first; which characters it uses does not matter.
 * @param email of the person who will have it
 * @returns what is wrong with it, or null
 */
export function passwordFault(password: string, email: string): Message | null {
  const length = [...password].length;
  if (length < PASSWORD_LENGTH_MIN) {
    return message("tooShort", { characters: PASSWORD_LENGTH_MIN });
  }
  if (length > PASSWORD_LENGTH_MAX) {
    return message("tooLong", { characters: PASSWORD_LENGTH_MAX });
  }
  const plain = password.toLowerCase();
  const [name = ""] = email.trim().toLowerCase().split("@");
  if (plain.includes("kanalog") || (name.length >= NAME_LENGTH_MIN && plain.includes(name))) {
    return message("nameInPassword");
  }
  return isCommonPassword(password) ? message("commonPassword") : null;
}
