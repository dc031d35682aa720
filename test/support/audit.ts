import type { Appliance } from "./appliance.ts";

export interface Recorded {
  person: string;
  organizationId: number | null;
  action: string;
  target: string;
  details: Record<string, unknown>;
}

/**
 * Entries of the audit log, in order.
 * @param of `people` leaves out changes that tests make themselves, as the command line
 */
export function auditOf(
  { app }: Pick<Appliance, "app">,
  of: "people" | "everybody" = "people",
): Recorded[] {
  const rows = app.domains.db
    .prepare(
      `SELECT person, organization_id AS organizationId, action, target, details
       FROM audit_log WHERE ${of === "people" ? "person <> ''" : "true"} ORDER BY id`,
    )
    .all() as (Omit<Recorded, "details"> & { details: string })[];
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) }));
}
