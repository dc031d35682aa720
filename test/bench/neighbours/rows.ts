import type { Row } from "./row.ts";
import { bodyRows } from "./rows/bodies.ts";
import { botRows } from "./rows/bots.ts";
import { budgetRows } from "./rows/budgets.ts";
import { crawlerRows } from "./rows/crawler.ts";
import { cuttingRows } from "./rows/cutting.ts";
import { doorRows } from "./rows/doors.ts";
import { importRows } from "./rows/imports.ts";
import { largeRows } from "./rows/large.ts";
import { operationRows } from "./rows/operations.ts";
import { passwordRows } from "./rows/passwords.ts";
import { postRows } from "./rows/posts.ts";
import { pushRows } from "./rows/pushes.ts";
import { sourceRows } from "./rows/sources.ts";
import { strangerRows } from "./rows/strangers.ts";
import { upkeepRows } from "./rows/upkeep.ts";
import { webhookRows } from "./rows/webhooks.ts";

/** All rows of the table; last are those that need the large database, which takes long to create. */
export const ROWS: readonly Row[] = [
  ...cuttingRows.filter(({ size }) => size !== "large"),
  ...operationRows,
  ...doorRows,
  ...strangerRows,
  ...crawlerRows.filter(({ size }) => size !== "large"),
  ...bodyRows,
  ...webhookRows,
  ...postRows,
  ...budgetRows,
  ...passwordRows,
  ...importRows,
  ...pushRows,
  ...sourceRows,
  ...botRows,
  ...upkeepRows,
  ...cuttingRows.filter(({ size }) => size === "large"),
  ...largeRows,
  ...crawlerRows.filter(({ size }) => size === "large"),
];
