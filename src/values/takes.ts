/** What the body of a route's requests may be; a route that declares nothing takes no body. */
export interface Takes {
  as: "form" | "json" | "file";
  /** Limit of the body; if it contains a file, of everything else in it. */
  bytesMax: number;
  fileBytesMax: number;
}

/** Enough for a form, or a small object. */
const BYTES_MAX = 16 * 1024;

export function takesForm(bytesMax = BYTES_MAX): Takes {
  return { as: "form", bytesMax, fileBytesMax: 0 };
}

export function takesJson(bytesMax = BYTES_MAX): Takes {
  return { as: "json", bytesMax, fileBytesMax: 0 };
}

/** A form with a file. */
export function takesFile(fileBytesMax: number): Takes {
  return { as: "file", bytesMax: BYTES_MAX, fileBytesMax };
}
