/** The formats that rows are both read from and written in. */
export type ImportFormat = "csv" | "ndjson";
export const IMPORT_FORMATS: readonly ImportFormat[] = ["csv", "ndjson"];
