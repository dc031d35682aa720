import { nothingRecognized } from "../../src/catalog/imports/reading/recognized.ts";
import { AS_RECOGNIZED } from "../../src/catalog/imports/reading/rows.ts";
import { nothingImported } from "../../src/catalog/imports/writing/import-summary.ts";
import type { UploadOptions } from "../../src/catalog/imports/writing/write-rows.ts";
import { MOSCOW_ZONE } from "../../src/values/moscow-time.ts";

export const DEFAULT_OPTIONS: UploadOptions = {
  reading: AS_RECOGNIZED,
  timezone: MOSCOW_ZONE,
  strict: false,
  dryRun: false,
  replace: false,
};

/** The summary of a run that imported nothing yet, as it is stored. */
export const STORED_SUMMARY = JSON.stringify({
  ...nothingImported(nothingRecognized(MOSCOW_ZONE)),
  ...{ options: DEFAULT_OPTIONS, notes: [], bytes: 9, bytesRead: 3, rejectsKept: 0 },
});
