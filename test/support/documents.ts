import { readFileSync } from "node:fs";
import { join } from "node:path";
import { guides } from "../../src/app/guides.ts";

export const ROOT = new URL("../..", import.meta.url).pathname;

/** A Markdown file of the project. */
export interface Document {
  /** Path within the project's folder. */
  path: string;
  text: string;
}

export function readDocument(path: string): Document {
  return { path, text: readFileSync(join(ROOT, path), "utf8") };
}

/** Files of the guides that the appliance serves. */
export const guideDocuments: Document[] = [...new Bun.Glob("src/**/*.md").scanSync(ROOT)]
  .sort()
  .map(readDocument)
  .filter(({ text }) => guides.some(({ texts }) => Object.values(texts).includes(text)));

/** Fenced code blocks: the words after the opening fence, and the code. */
export function fencedBlocks({ text }: Document): { info: string; code: string }[] {
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, info = "", code = ""]) => ({
    info,
    code,
  }));
}

/** Targets of its links and pictures. */
export function linksOf({ text }: Document): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)|<(https?:[^>]+)>/g)].map(
    ([, target, address]) => target ?? address ?? "",
  );
}
