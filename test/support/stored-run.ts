import { nothingRecognized } from "../../src/catalog/imports/reading/recognized.ts";
import { DEFAULT_OPTIONS } from "../../src/catalog/imports/writing/import-options.ts";
import { nothingImported } from "../../src/catalog/imports/writing/import-summary.ts";
import { MOSCOW_ZONE } from "../../src/values/moscow-time.ts";

/** The summary of a run that imported nothing yet, as it is stored. */
export const STORED_SUMMARY = JSON.stringify({
  ...nothingImported(nothingRecognized(MOSCOW_ZONE)),
  ...{ options: DEFAULT_OPTIONS, notes: [], bytes: 9, bytesRead: 3, rejectsKept: 0 },
});
