import { channelsImport } from "./channels/channels-rows.ts";
import { categoriesImport } from "./directories/categories-rows.ts";
import { territoriesImport } from "./directories/territories-rows.ts";
import type { ImportKind } from "./import-kind.ts";
import { postsImport } from "./posts/posts-rows.ts";
import { statsImport } from "./stats-rows.ts";

const kinds = {
  categories: categoriesImport,
  territories: territoriesImport,
  channels: channelsImport,
  stats: statsImport,
  posts: postsImport,
};

export type ImportKindName = keyof typeof kinds;
export const IMPORT_KIND_NAMES = Object.keys(kinds) as ImportKindName[];

// biome-ignore lint/suspicious/noExplicitAny: each kind has a row type of its own
export const importKinds: Record<ImportKindName, ImportKind<any>> = kinds;
