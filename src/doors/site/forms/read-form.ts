import { AppError, fieldError, toAppError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import { parseEndOfDay } from "../../../values/moscow-time.ts";
import type { Takes } from "../../../values/takes.ts";
import type { Body } from "../../front/body.ts";
import { DRAWN_FOR } from "../look/form.tsx";
import type { SitePage } from "../site-pages.ts";
import { type Form, formOf, type Visit } from "../visit/visit.ts";
import { pageError } from "./faults.ts";
import { readMultipart, tooLarge, type UploadRules } from "./read-multipart.ts";

/** A form, and its files, which must be removed once it has been handled. */
export interface ReadForm {
  form: Form;
  /** Removes files that nobody took over. */
  discard(): void;
}

/** More fields than any page's form has: some have a hundred rows. */
const FIELDS_MAX = 1_000;
const AMPERSAND = 0x26;

/**
 * Reads a submitted form.
 * @param takes what its page takes
 * @param upload rules for a file, if the page takes one
 * @throws AppError `payload_too_large`, `parse_error`; `unavailable` if a file cannot be stored
 */
export async function readForm(
  { headers }: Pick<Request, "headers">,
  body: Body,
  { as, bytesMax }: Takes,
  upload: UploadRules,
): Promise<ReadForm> {
  const type = headers.get("content-type") ?? "";
  const isMultipart = /^multipart\/form-data\b/i.test(type);
  try {
    if (isMultipart && as === "file") {
      return await readMultipart(type, body.chunks(), bytesMax, upload);
    }
    const bytes = await body.bytes();
    if (!isMultipart) return { form: formOf(fieldsOf(bytes)), discard() {} };
    return await readMultipart(type, [bytes], bytesMax, null);
  } catch (error) {
    const { code } = toAppError(error);
    if (code === "payload_too_large") throw tooLarge();
    throw code === "unavailable" ? error : new AppError("parse_error", message("formUnreadable"));
  }
}

/** Fields by name; if a name repeats, the first one counts. */
function fieldsOf(body: Uint8Array): Map<string, string> {
  // Counts fields before parsing them, using indexOf: a loop over 200 KB of bytes takes 14 ms.
  let count = 1;
  for (let at = body.indexOf(AMPERSAND); at >= 0; at = body.indexOf(AMPERSAND, at + 1)) {
    count += 1;
    if (count > FIELDS_MAX) throw tooLarge();
  }
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(new TextDecoder().decode(body))) {
    if (!fields.has(name)) fields.set(name, value);
  }
  return fields;
}

/**
 * Whether the form's page was rendered for another organization than the visit's: a member of several may
 * have switched since, for instance in a second window.
 */
export function isOfOtherOrganization(
  { access }: SitePage,
  { membership }: Visit,
  form: Form,
): boolean {
  // The form that switches organizations is on every page.
  if (form.get("action") === "switch-organization") return false;
  const drawnFor = form.get(DRAWN_FOR);
  return (
    (access === "member" || access === "manager") &&
    membership !== null &&
    drawnFor !== "" &&
    drawnFor !== String(membership.organization.id)
  );
}

export function otherOrganization({ membership, words }: Visit): AppError {
  const current = membership?.organization.name ?? "";
  return pageError("conflict", words.otherOrganization(current));
}

/**
 * Parses a last day as typed.
 * @returns the instant at which that day ends in Moscow; null if nothing was typed
 * @throws AppError `invalid` on `ends`
 */
export function readLastDay(text: string, nowMs: number): number | null {
  if (text.trim() === "") return null;
  const endsAt = parseEndOfDay(text.trim());
  if (endsAt === null) {
    throw fieldError({ ends: [message("notDaySuchAs", { example: "2027-12-31" })] });
  }
  if (endsAt <= nowMs) throw fieldError({ ends: [message("dayIsOver")] });
  return endsAt;
}
