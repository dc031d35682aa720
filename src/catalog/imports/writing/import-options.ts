import { MOSCOW_ZONE } from "../../../values/moscow-time.ts";
import { AS_RECOGNIZED, type ReadingOptions } from "../reading/rows.ts";

/** How a file is imported: options of `kanalog import`. */
export interface ImportOptions {
  reading: ReadingOptions;
  /** IANA time zone for times without an offset. */
  timezone: string;
  /** Whether any invalid cell rejects its row. */
  strict: boolean;
}

/** The same for an uploaded file. */
export interface UploadOptions extends ImportOptions {
  /** Whether to only report what would happen, trying it on a copy of the database. */
  dryRun: boolean;
  /** For directories: whether to remove entries that the file does not name. */
  replace: boolean;
}

/** Options of an upload for which nothing was chosen. */
export const DEFAULT_OPTIONS: UploadOptions = {
  reading: AS_RECOGNIZED,
  timezone: MOSCOW_ZONE,
  strict: false,
  dryRun: false,
  replace: false,
};
