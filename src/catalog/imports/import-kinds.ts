import { categoriesImport } from "./categories-rows.ts";
import { channelsImport } from "./channels-rows.ts";
import type { ImportKind, ImportKindName } from "./import-kind.ts";
import { postsImport } from "./posts-rows.ts";
import { statsImport } from "./stats-rows.ts";
import { territoriesImport } from "./territories-rows.ts";

// biome-ignore lint/suspicious/noExplicitAny: each kind has a row type of its own
export const importKinds: Record<ImportKindName, ImportKind<any>> = {
  categories: categoriesImport,
  territories: territoriesImport,
  channels: channelsImport,
  stats: statsImport,
  posts: postsImport,
};
