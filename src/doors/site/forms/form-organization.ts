import type { AppError } from "../../../errors.ts";
import { DRAWN_FOR } from "../look/form.tsx";
import type { SitePage } from "../site-pages.ts";
import type { Form, Visit } from "../visit/visit.ts";
import { pageError } from "./faults.ts";

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
