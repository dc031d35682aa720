import { MOSCOW_ZONE } from "../../values/moscow-time.ts";
import type { RunOptions } from "./import-runs.table.ts";
import { AS_RECOGNIZED } from "./rows.ts";

/** An import for which nothing was chosen. */
export const DEFAULT_OPTIONS: RunOptions = {
  ...{ reading: AS_RECOGNIZED, timezone: MOSCOW_ZONE },
  ...{ strict: false, dryRun: false, replace: false },
};
