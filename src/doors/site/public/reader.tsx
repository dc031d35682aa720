/** @jsxImportSource hono/jsx */
import { createContext, useContext } from "hono/jsx";
import type { CardAnswer } from "../../../catalog/channels/stored-card.ts";
import type { Language } from "../../../values/messages/messages.ts";
import { WORDS, type Words } from "../../../words/words.ts";
import { formatNumber } from "../look/shown.tsx";
import type { Imprint } from "../look/user-text.tsx";

/** For whom and where a public page is rendered. Nothing of it is a visitor's own: answers are shared. */
export interface Reader extends Imprint {
  language: Language;
  /** The appliance's address, without a trailing slash. */
  address: string;
  brand: string;
  /** Whether growth and charts may be shown; otherwise only cards. */
  hasCharts: boolean;
  maySignUp: boolean;
  /** Whether there is a public catalog to link to. */
  hasCatalog: boolean;
}

const ReaderContext = createContext<Reader | null>(null);
export const ForReader = ReaderContext.Provider;

/** The reader that the page is rendered for. Parts of public pages wait for nothing. */
export function useReader(): Reader & { words: Words; texts: Words["publicPages"] } {
  const reader = useContext(ReaderContext);
  if (reader === null) throw new Error("a part of a public page was rendered for no reader");
  const words = WORDS[reader.language];
  return { ...reader, words, texts: words.publicPages };
}

/** The language of addresses without one: that of the data. */
export const USUAL_LANGUAGE: Language = "ru";

/** @param path of a public page in any language, such as `/c/` */
export function inLanguage(language: Language, path: string): string {
  return language === USUAL_LANGUAGE ? path : `/${language}${path}`;
}

/** Complete address of a public page. */
export function addressOf({ address, language }: Reader, path: string): string {
  return address + inLanguage(language, path);
}

/** The same for links: without the host. @param path of the appliance, such as `/docs/` */
export function linkTo({ address }: Pick<Reader, "address">, path: string): string {
  return new URL(address).pathname.replace(/\/$/, "") + path;
}

/** A link to a public page in the reader's language. */
export function pageLink(reader: Reader, path: string): string {
  return linkTo(reader, inLanguage(reader.language, path));
}

export const channelPath = (handle: string): string => `/c/${encodeURIComponent(handle)}/`;
export const categoryPath = (slug: string): string => `/c/category/${encodeURIComponent(slug)}/`;
export const territoryPath = (slug: string): string => `/c/territory/${encodeURIComponent(slug)}/`;

export function shownNumber(value: number): string {
  return formatNumber(useReader().words.locale, value);
}

/** A channel's subscribers; a dash if they were never read. */
export function subscribersText(
  language: Language,
  { subscribers, subscribers_at: readAt }: Pick<CardAnswer, "subscribers" | "subscribers_at">,
  options: Intl.NumberFormatOptions = {},
): string {
  return readAt === null ? "—" : formatNumber(WORDS[language].locale, subscribers, options);
}

/** A change with its sign; a dash if it is unknown. */
export function ChangeText({ change, percent }: { change: number | null; percent: number | null }) {
  const { locale } = useReader().words;
  if (change === null) return <span class="change">—</span>;
  const relative = {
    style: "percent",
    maximumFractionDigits: 1,
    signDisplay: "exceptZero",
  } as const;
  return (
    <span class={`change ${change > 0 ? "up" : change < 0 ? "down" : ""}`}>
      {formatNumber(locale, change, { signDisplay: "exceptZero" })}
      {percent !== null && <small> {formatNumber(locale, percent / 100, relative)}</small>}
    </span>
  );
}
