import type { Membership } from "../../../customers/accounts/accounts.ts";
import type { SignedIn } from "../../../customers/people/sessions.ts";
import type { FieldErrors } from "../../../errors.ts";
import type { Language } from "../../../values/messages/messages.ts";
import type { Words } from "../../../words/words.ts";

/** A request for a page, with everything that pages need to know about it. */
export interface Visit {
  request: Request;
  /** Id by which the log identifies it. */
  requestId: string;
  /** The client's IP, and the network that the throttle counts by. */
  clientIp: string;
  network: string;
  /** Path and query, relative to the site's root. */
  path: string;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** The submitted form; empty for a GET. */
  form: Form;
  /** Faults of the form, by field. */
  faults: FieldErrors;
  language: Language;
  words: Words;
  /** Token for the hidden field of every form. */
  csrf: string;
  nowMs: number;
  /** The appliance's address as the visitor sees it, without a trailing slash. */
  ownAddress: string;
  /** Address for links in mails, which no visitor can influence. */
  baseAddress: string;
  /** The operator's name for the appliance. */
  brand: string;
  /** Shown at the top of the page; null for nothing. */
  notice: string | null;
  signedIn: SignedIn | null;
  /** Numbers of the sample's channels. */
  sample: readonly number[];
  memberships: readonly Membership[];
  /** Membership in the organization whose pages are shown. */
  membership: Membership | null;
}

/** An uploaded file, which is removed when the form has been answered. */
export interface UploadedFile {
  /** Its name on the visitor's machine, as pages show it. */
  name: string;
  path: string;
  bytes: number;
}

export interface Form {
  get(name: string): string;
  isChecked(name: string): boolean;
  file(name: string): UploadedFile | null;
  /** Names of the fields that were filled in. */
  filledIn(): string[];
}

export const EMPTY_FORM: Form = formOf(new Map());

/** Creates a form with these fields; fields and files may be added while it is being read. */
export function formOf(
  fields: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, UploadedFile> = new Map(),
): Form {
  return {
    get: (name) => fields.get(name) ?? "",
    isChecked: (name) => fields.get(name) === "yes",
    file: (name) => files.get(name) ?? null,
    filledIn: () => [...fields].flatMap(([name, value]) => (value === "" ? [] : [name])),
  };
}
