import type { Row } from "./row.ts";
import { bodyRows } from "./rows/bodies.ts";
import { botRows } from "./rows/bots.ts";
import { cuttingRows } from "./rows/cutting.ts";
import { exportRows } from "./rows/exports.ts";
import { importRows } from "./rows/imports.ts";
import { largeRows } from "./rows/large.ts";
import { passwordRows } from "./rows/passwords.ts";
import { postRows } from "./rows/posts.ts";
import { questionRows } from "./rows/questions.ts";
import { sourceRows } from "./rows/sources.ts";
import { strangerRows } from "./rows/strangers.ts";
import { upkeepRows } from "./rows/upkeep.ts";
import { webhookRows } from "./rows/webhooks.ts";

/** All rows of the table; last are those that need the large database, which takes long to create. */
export const ROWS: readonly Row[] = [
  ...cuttingRows.filter(({ size }) => size !== "large"),
  ...strangerRows,
  ...bodyRows,
  ...webhookRows,
  ...questionRows,
  ...postRows,
  ...passwordRows,
  ...importRows,
  ...sourceRows,
  ...botRows,
  ...upkeepRows,
  ...exportRows,
  ...cuttingRows.filter(({ size }) => size === "large"),
  ...largeRows,
];
