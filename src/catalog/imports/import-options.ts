import { MOSCOW_ZONE } from "../../values/moscow-time.ts";
import { AS_RECOGNIZED, type ReadingOptions } from "./rows.ts";

/** How a file is imported: options of `kanalog import`. */
export interface ImportOptions {
  reading: ReadingOptions;
  /** IANA name of the zone of times without an offset. */
  timezone: string;
  /** Any bad cell rejects its row. */
  strict: boolean;
}

/** The same of a file that somebody uploads. */
export interface UploadOptions extends ImportOptions {
  /** Only tells what would happen: it is tried on a copy of the database. */
  dryRun: boolean;
  /** Directories only: entries that the file does not name are removed. */
  replace: boolean;
}

/** An upload for which nothing was chosen. */
export const DEFAULT_OPTIONS: UploadOptions = {
  ...{ reading: AS_RECOGNIZED, timezone: MOSCOW_ZONE },
  ...{ strict: false, dryRun: false, replace: false },
};
