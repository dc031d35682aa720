/** What the body of a route's requests may be; a route that declares nothing takes no body. */
export interface Takes {
  as: "form" | "json" | "file" | "bytes";
  /** Limit of the body; if it contains a file, of everything else in it. */
  bytesMax: number;
  fileBytesMax: number;
  /** Most members of all objects in JSON; a few more values may be in lists. */
  membersMax: number;
}

/** Enough for a form, or a small object. */
const BYTES_MAX = 16 * 1024;
export const MEMBERS_MAX = 1_000;

export function takesForm(bytesMax = BYTES_MAX): Takes {
  return { as: "form", bytesMax, fileBytesMax: 0, membersMax: 0 };
}

export function takesJson(bytesMax = BYTES_MAX, membersMax = MEMBERS_MAX): Takes {
  return { as: "json", bytesMax, fileBytesMax: 0, membersMax };
}

/** A file, and nothing else. */
export function takesBytes(fileBytesMax: number): Takes {
  return { as: "bytes", bytesMax: 0, fileBytesMax, membersMax: 0 };
}

export function takesFile(fileBytesMax: number): Takes {
  return { as: "file", bytesMax: BYTES_MAX, fileBytesMax, membersMax: 0 };
}
