import { CHANNEL_LABELS } from "../catalog/channels/card.ts";
import type { AuditAction, AuditDetail, AuditTarget } from "../customers/audit/audit-log.ts";
import { type Language, MESSAGES } from "../values/messages/language.ts";
import { type Texts, textsOf } from "../values/messages/texts.ts";
import en from "./en/pages.json";
import ru from "./ru/pages.json";

/** All texts of pages in one language: of the site, of `/` and around guides. */
export type Words = Texts<typeof en> &
  TextsByCode & { planNames: (typeof MESSAGES)["en"]["names"]["plans"] };

type ByCode = Readonly<Record<string, string>>;

/** Texts for codes: each has one where the codes are fixed, a plain `ByCode` may lack one. */
interface TextsByCode {
  channelFields: typeof CHANNEL_LABELS;
  auditLog: {
    actions: Record<AuditAction, string>;
    targets: Record<AuditTarget, string>;
    details: Record<AuditDetail, string>;
    values: Partial<Record<AuditDetail, ByCode>>;
  };
  mentionPages: { reasons: ByCode; kinds: ByCode; kindOf: ByCode };
  resources: ByCode;
  sourcePages: { done: ByCode };
  staffCatalog: { hints: ByCode; done: ByCode };
  staffPages: { jobNames: ByCode; done: ByCode };
}

function wordsOf<Raw extends object>(language: Language, pages: Raw) {
  const { names } = MESSAGES[language];
  return { ...textsOf(pages, { language, names }), planNames: names.plans };
}

export const WORDS: Record<Language, Words> = {
  en: { ...wordsOf("en", en), channelFields: CHANNEL_LABELS },
  ru: wordsOf("ru", ru),
};
