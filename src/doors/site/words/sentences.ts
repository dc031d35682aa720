import type { FieldErrors } from "../../../errors.ts";
import { IMPORT_SENTENCES } from "./import-sentences.ts";
import type { Language } from "./words.ts";

/** What the domains say in English, with their values in the places of the groups. */
const RUSSIAN: readonly [RegExp, string][] = [
  [/^This field (?:is required|may not be blank)\.$/, "Заполните это поле."],
  [/^This list may not be empty\.$/, "Укажите хотя бы один."],
  [/^A valid integer is required\.$/, "Введите целое число."],
  [/^Ensure this value is greater than or equal to (\d+)\.$/, "Введите число не меньше $1."],
  [/^Ensure this value is less than or equal to (\d+)\.$/, "Введите число не больше $1."],
  [/^Ensure this field has no more than (\d+) characters\.$/, "Не больше $1 знаков."],
  [/^Ensure this field has at least (\d+) characters\.$/, "Введите не меньше $1 знаков."],
  [/^Enter a valid email address\.$/, "Введите адрес электронной почты."],
  [/^Control characters are not allowed\.$/, "Управляющие символы не допускаются."],
  [/^The day is over already\.$/, "Этот день уже прошёл."],
  [/^Enter a day such as (\S+)\.$/, "Введите день, например $1."],
  [/^(.+) is a member of this organization already\.$/, "$1 уже состоит в этой организации."],
  [/^Enter a whole number from (\d+) to (\d+)\.$/, "Введите целое число от $1 до $2."],
  [
    /^Too many passwords are waiting to be checked\. Try again in a few seconds\.$/,
    "Сейчас проверяется слишком много паролей. Повторите через несколько секунд.",
  ],
  [
    /^Too many requests from your network are waiting\. Try again in a few seconds\.$/,
    "Из вашей сети ждёт слишком много запросов. Повторите через несколько секунд.",
  ],
  [/^.+ was not found\.$/s, "Этого нет или больше нет."],
  [/^This form does not exist any more\.$/, "Этой формы больше нет."],
  [/^This page takes no form\.$/, "Эта страница не принимает форм."],
  [
    /^Forms are taken from the appliance's own pages only\.$/,
    "Формы принимаются только с собственных страниц установки.",
  ],
  [/^The form is too large\.$/, "Форма слишком велика."],
  [/^The form could not be read\.$/, "Форму не удалось прочитать."],
  [/^The file cannot be stored at present\.$/, "Сейчас файл нельзя сохранить."],
  [/^Choose one of the options\.$/, "Выберите один из вариантов."],
  [/^This is not your present password\.$/, "Это не ваш нынешний пароль."],
  [
    /^Leave your e-mail's name and Kanalog's out of the password\.$/,
    "В пароле не должно быть имени из вашего адреса и слова Kanalog.",
  ],
  [
    /^This password is one of the first that are guessed\.$/,
    "Этот пароль подбирают одним из первых. Выберите другой.",
  ],
  [/^Null characters are not allowed\.$/, "Нулевые знаки не допускаются."],
  [/^Object with slug=(.*) does not exist\.$/s, "Кода $1 нет."],
  [/^"(.*)" is not a valid choice\.$/s, "Значения «$1» нет."],
  [/^Invalid cursor\.$/, "Такой страницы нет: начните с первой."],
  [
    /^The database query took too long\..*$/,
    "Запрос к базе занял слишком много времени. Повторите позже или сузьте выбор.",
  ],
  [
    /^The storage cannot do this at present\.$/,
    "Хранилище сейчас не может этого сделать. Повторите позже.",
  ],
  [/^Enter a valid https:\/\/ address\.$/, "Введите правильный адрес https://."],
  [/^Use port 443, or one above 1023\.$/, "Порт должен быть 443 или больше 1023."],
  [
    /^A user name or password in the address is not allowed\.$/,
    "Имя пользователя и пароль в адресе не допускаются.",
  ],
  [
    /^Enter an address on the internet: this one does not exist, or is of a private network\.$/,
    "Введите адрес в интернете: такого нет, или он из частной сети.",
  ],
  [
    /^There are no public channels with the numbers (.+)\.$/,
    "Открытых каналов с этими номерами нет: $1.",
  ],
  [
    /^Ensure this field has no more than (\d+) elements\. Leave out: (.+)\.$/,
    "Не больше $1 каналов. Лишние: $2.",
  ],
  [
    /^The plan (\w+) includes (\d+) channels a webhook; this one has (\d+)\.$/,
    "Тариф $1 включает каналов на вебхук: $2, а у этого их $3.",
  ],
  [
    /^The plan (\w+) includes (\d+) webhooks?; there are (\d+)\.$/,
    "Тариф $1 включает вебхуков: $2, а их уже $3.",
  ],
  [
    /^The webhook was disabled by staff: contact support\.$/,
    "Вебхук отключён службой поддержки: обратитесь к ней.",
  ],
  [
    /^The signing secret cannot be read any more: rotate it first\.$/,
    "Секрет подписи больше не читается: сначала смените его.",
  ],
  [
    /^The signing secret cannot be read any more: have its owner rotate it first\.$/,
    "Секрет подписи больше не читается: сначала его должен сменить владелец.",
  ],
  [
    /^A webhook is tested at most once a minute\.$/,
    "Проверять вебхук можно не чаще раза в минуту.",
  ],
  [
    /^At most (\d+) pings and resends a minute go to one host\.$/,
    "На один узел уходит не больше $1 проверок и повторных отправок в минуту.",
  ],
  [/^The webhook is disabled: enable it first\.$/, "Вебхук отключён: сначала включите его."],
  [
    /^A ping is not sent again: test the webhook\.$/,
    "Проверка не отправляется повторно: проверьте вебхук ещё раз.",
  ],
  [/^An attempt of this delivery is under way\.$/, "Эта доставка как раз отправляется."],
  [/^The event is older than two days\.$/, "Событие старше двух дней."],
  [
    /^Too many attempts of this webhook are under way\.$/,
    "Идёт слишком много отправок этого вебхука.",
  ],
  [
    /^Too many deliveries are being tried at this moment\.$/,
    "Сейчас идёт слишком много отправок. Повторите чуть позже.",
  ],
  [/^The receiver did not answer within 10 seconds\.$/, "Получатель не ответил за 10 секунд."],
  [/^The receiver could not be reached\.$/, "Получатель недоступен."],
  [
    /^The receiver's certificate is not valid for this address\.$/,
    "Сертификат получателя не годится для этого адреса.",
  ],
  [
    /^The receiver ended the connection without an answer\.$/,
    "Получатель закрыл соединение, не ответив.",
  ],
  [/^The name of the receiver could not be resolved\.$/, "Имя получателя не найдено."],
  [/^The signing secret cannot be read; rotate it\.$/, "Секрет подписи не читается: смените его."],
  [/^The receiver answered (\d+)\.$/, "Получатель ответил $1."],
  ...IMPORT_SENTENCES,
];

/** A sentence of the domains in the visitor's language; one that is not known stays as it is. */
export function sentence(language: Language, english: string): string {
  if (language === "en") return english;
  const known = RUSSIAN.find(([pattern]) => pattern.test(english));
  return known === undefined ? english : english.replace(...known);
}

/** All messages of an error, in the visitor's language. */
export function translated(language: Language, faults: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(faults).map(([field, messages]) => [
      field,
      messages.map((message) => sentence(language, message)),
    ]),
  );
}
