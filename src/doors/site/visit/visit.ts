import type { Membership } from "../../../customers/accounts/accounts.ts";
import type { SignedIn } from "../../../customers/people/sessions.ts";
import type { FieldErrors } from "../../../errors.ts";
import type { Language, Words } from "../words/words.ts";

/** One request for a page, with all that pages need to know of it. */
export interface Visit {
  request: Request;
  /** The id by which the log finds it. */
  requestId: string;
  /** The client IP, and the network by which the throttle counts. */
  clientIp: string;
  network: string;
  /** Path and query, relative to the site's root. */
  path: string;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** The form that was sent; empty for a GET. */
  form: Form;
  /** Faults of the form, by field. */
  faults: FieldErrors;
  language: Language;
  words: Words;
  /** For the hidden field of every form. */
  csrf: string;
  nowMs: number;
  /** The appliance's address as the visitor has it, without a slash at its end. */
  ownAddress: string;
  /** The address for links in mails, which no visitor can choose. */
  baseAddress: string;
  /** The name that pages carry. */
  brand: string;
  /** Told first on the page, or null. */
  notice: string | null;
  signedIn: SignedIn | null;
  /** Numbers of the channels that are a sample. */
  sample: readonly number[];
  memberships: readonly Membership[];
  /** The organization whose pages are shown. */
  membership: Membership | null;
}

/** A file that a form brought, and that is removed with the form's answer. */
export interface UploadedFile {
  /** Its name on the visitor's machine, as pages show it. */
  name: string;
  path: string;
  bytes: number;
}

/** Fields of a form, and the files of one that has some. */
export interface Form {
  get(name: string): string;
  file(name: string): UploadedFile | null;
  /** Names of the fields that were filled in. */
  filledIn(): string[];
}

export const EMPTY_FORM: Form = formOf(new Map());

/** A form of these fields; fields and files may still be added while it is read. */
export function formOf(
  fields: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, UploadedFile> = new Map(),
): Form {
  return {
    get: (name) => fields.get(name) ?? "",
    file: (name) => files.get(name) ?? null,
    filledIn: () => [...fields].flatMap(([name, value]) => (value === "" ? [] : [name])),
  };
}
