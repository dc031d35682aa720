import { fieldError } from "../../errors.ts";
import { type Message, message } from "../../values/messages/messages.ts";

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

/** Words that are guessed first everywhere, with or without digits and symbols around them. */
const WORDS = new Set(
  `password passwort passphrase passcode mypassword yourpassword newpassword parol parolparol пароль
  мойпароль admin administrator adminadmin root superuser user guest test testtest default changeme
  welcome hello hellohello letmein access secret mysecret master login trustno iloveyou loveyou
  lovelove iloveu ilovegod iloveme monkey dragon sunshine princess football baseball basketball
  superman batman spiderman pokemon starwars shadow michael jennifer jessica charlie jordan
  liverpool chelsea arsenal barcelona manchester realmadrid spartak zenit computer internet
  samsung google facebook instagram microsoft windows linux database server qwerty qwertyuiop
  qwertyqwerty qwertz azerty asdfgh asdfghjkl zxcvbn zxcvbnm qazwsx qazwsxedc qazwsxedcrfv йцукен
  йцукенг цукенг фывапр фывапролдж ячсмить любовь солнышко наташа привет приветпривет самсунг
  natasha nastya andrey sergey aleksandr marina privet lubov lyubov solnyshko zvezda rossiya russia
  moskva moscow whatever freedom killer hunter ranger soccer hockey summer winter spring autumn
  january february october november december monday friday sunday company business`.split(/\s+/),
);

/** Keyboard patterns that are not a straight line. */
const WALKS = new Set(
  `1q2w3e4r5t 1q2w3e4r5t6y q1w2e3r4t5 q1w2e3r4t5y6 1qaz2wsx3edc 1qaz2wsx3edc4rfv zaq12wsxcde3
  qwe123qwe123 123qweasdzxc qweasdzxc123 qwerty123qwerty a1b2c3d4e5 abc123abc123 1a2b3c4d5e
  123456qwerty 12345qwert qwert12345 asd123asd123 zxc123zxc123 147258369 0147258369 1472583690
  9876543210a 1234567890q 1234567890a 12345678910 123456789101112 1029384756 1357924680 1234554321
  0987654321q q123456789 a123456789 123456789q 123456789a aa123456789 5201314520 1q2w3e4r5t6y7u`.split(
    /\s+/,
  ),
);

/** Digits, alphabets and keyboard rows, in both directions. */
const ROWS = [
  "01234567890123456789",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiopasdfghjklzxcvbnm",
  "йцукенгшщзхъфывапролджэячсмитьбю",
  "абвгдежзийклмнопрстуфхцчшщъыьэюя",
].flatMap((row) => [row, [...row].reverse().join("")]);

const LETTER_OF: Record<string, string> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "@": "a",
  $: "s",
};

/** Whether an attacker would soon guess it: a common word with digits, a keyboard row. */
function isCommonPassword(password: string): boolean {
  const plain = password.toLowerCase();
  if (WALKS.has(plain) || ROWS.some((row) => row.includes(plain))) return true;
  // A short piece, repeated.
  if (/^(.{1,4})\1+$/su.test(plain)) return true;
  const word = plain
    .replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "")
    .replace(/[01345@$]/g, (sign) => LETTER_OF[sign] ?? sign);
  return WORDS.has(word);
}
