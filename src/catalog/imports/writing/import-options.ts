import { MOSCOW_ZONE } from "../../../values/moscow-time.ts";
import { AS_RECOGNIZED, type ReadingOptions } from "../reading/rows.ts";

export interface ImportOptions {
  reading: ReadingOptions;
  timezone: string;
  strict: boolean;
}

export interface UploadOptions extends ImportOptions {
  /** Whether to only report what would happen, trying it on a copy of the database. */
  dryRun: boolean;
  replace: boolean;
}

export const DEFAULT_OPTIONS: UploadOptions = {
  reading: AS_RECOGNIZED,
  timezone: MOSCOW_ZONE,
  strict: false,
  dryRun: false,
  replace: false,
};
