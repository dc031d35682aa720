import { CHANNEL_LABELS } from "../catalog/channels/card.ts";
import { type Language, MESSAGES } from "../values/messages/messages.ts";
import { type Texts, textsOf } from "../values/messages/texts.ts";
import en from "./en/pages.json";
import ru from "./ru/pages.json";

/** All texts of pages in one language: of the site, of `/` and around guides. */
export type Words = Texts<typeof en> &
  TextsByCode & {
    /** Names of the specification's plans. */
    planNames: ByCode;
    auditLog: Omit<Messages["audit"], "values"> & { values: Readonly<Record<string, ByCode>> };
  };

type Messages = (typeof MESSAGES)["en"];

type ByCode = Readonly<Record<string, string>>;

/** Texts for codes: each has one where the codes are fixed, a plain `ByCode` may lack one. */
interface TextsByCode {
  channelFields: typeof CHANNEL_LABELS;
  mentionPages: { reasons: ByCode; kinds: ByCode; kindOf: ByCode };
  fields: ByCode;
  sourcePages: { done: ByCode };
  staffCatalog: { hints: ByCode; done: ByCode };
  staffPages: { jobNames: ByCode; done: ByCode };
}

function wordsOf<Raw extends object>(language: Language, pages: Raw) {
  const { audit, names } = MESSAGES[language];
  return { ...textsOf(pages, { language, names }), planNames: names.plans, auditLog: audit };
}

export const WORDS: Record<Language, Words> = {
  en: { ...wordsOf("en", en), channelFields: CHANNEL_LABELS },
  ru: wordsOf("ru", ru),
};
