import type { Row } from "./row.ts";
import { bodyRows } from "./rows/bodies.ts";
import { cuttingRows } from "./rows/cutting.ts";
import { importRows } from "./rows/imports.ts";
import { passwordRows } from "./rows/passwords.ts";
import { strangerRows } from "./rows/strangers.ts";
import { upkeepRows } from "./rows/upkeep.ts";
import { webhookRows } from "./rows/webhooks.ts";

/** All lines of the table, in the order in which they are measured. */
export const ROWS: readonly Row[] = [
  ...cuttingRows,
  ...strangerRows,
  ...bodyRows,
  ...webhookRows,
  ...passwordRows,
  ...importRows,
  ...upkeepRows,
];
