import type { Language } from "../../../values/messages/messages.ts";
import type { Words } from "../../../words/words.ts";

/** Every guide has a name in the navigation bar. */
export type GuideName = keyof Words["docsPages"]["guides"];

/**
 * A guide: Markdown kept beside the code it describes. Those for customers, which are also in Russian, are served
 * at `/docs/<name>/`, the operator's at `/staff/guides/<name>/`.
 */
export interface Guide {
  name: GuideName;
  texts: Partial<Record<Language, string>> & { en: string };
  /** Paths of SVG drawings, by the names that the text uses in a folder `pictures`. */
  pictures?: Readonly<Record<string, string>>;
}

/** A guide's path from the appliance's root. */
export const guidePath = ({ name, texts }: Guide): string =>
  `${texts.ru === undefined ? "staff/guides" : "docs"}/${name}/`;
