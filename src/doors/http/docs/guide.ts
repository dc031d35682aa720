import type { Language } from "../../../values/language.ts";

export type GuideName =
  | "start"
  | "importing"
  | "sources"
  | "customers"
  | "clients"
  | "mentions"
  | "export"
  | "webhooks"
  | "mcp"
  | "operating"
  | "cluster"
  | "building";

/** A guide: Markdown beside the code that it speaks of, shown at `/docs/<name>/`. */
export interface Guide {
  name: GuideName;
  texts: Partial<Record<Language, string>> & { en: string };
  /** Paths of drawings (SVG) by the names under which its text has them, in a folder `pictures`. */
  pictures?: Readonly<Record<string, string>>;
}
