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

/** A guide: Markdown kept beside the code it describes, served at `/docs/<name>/`. */
export interface Guide {
  name: GuideName;
  texts: Partial<Record<Language, string>> & { en: string };
  /** Paths of SVG drawings, by the names that the text uses in a folder `pictures`. */
  pictures?: Readonly<Record<string, string>>;
}
