import { expect } from "bun:test";
import type { Appliance } from "./appliance.ts";
import { memberWithPassword, type SitePageAnswer, type Visitor, visitor } from "./visitor.ts";

export const STAFF = "boss@example.com";

/** A visitor who is signed in as staff, and owner of a first organization. */
export async function staffVisitor(
  appliance: Appliance,
  language = "en",
): Promise<Visitor & { organizationId: number }> {
  const { accounts, people } = appliance.app.domains;
  const organization = await accounts.createOrganization({ name: "Operator", plan: "profi" });
  await memberWithPassword(appliance, organization.id, "owner", STAFF);
  await people.markStaff(STAFF, true);
  const browser = visitor(appliance, language);
  expect((await browser.signIn(STAFF)).status).toBe(303);
  return { ...browser, organizationId: organization.id };
}

/** The redirect after a change. */
export function expectDone(answer: SitePageAnswer, done: string): void {
  expect({ status: answer.status, location: answer.location }).toEqual({
    status: 303,
    location: expect.stringMatching(new RegExp(`[?&]done=${done}$`)),
  });
}

/** What was recorded, the latest first. */
export function auditOf({ app }: Appliance) {
  const rows = app.domains.db.$client
    .prepare(
      "SELECT person, organization_id, action, target, details FROM audit_log ORDER BY id DESC",
    )
    .all() as {
    person: string;
    organization_id: number | null;
    action: string;
    target: string;
    details: string;
  }[];
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as object }));
}
