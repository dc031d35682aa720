/** @jsxImportSource hono/jsx */
import type { HtmlEscapedString } from "hono/utils/html";
import type { PartProps } from "../../../site-context.ts";
import { asset } from "../../../visit/site-path.ts";

/** The organizations that somebody belongs to, with their roles. */
export async function Memberships({
  visit,
  context,
  email,
}: PartProps & { email: string }): Promise<HtmlEscapedString> {
  const words = visit.words.staffPages;
  const memberships = await context.accounts.allMembershipsOf(email);
  if (memberships.length === 0) return <>—</>;
  return (
    <ul class="bare">
      {memberships.map(({ member, organization }) => (
        <li>
          <a href={asset(visit, `/staff/organizations/${organization.id}/`)}>
            <bdi>{organization.name}</bdi>
          </a>
          {`, ${visit.words.roles[member.role]}`}
          {member.suspendedAt !== null && `, ${words.suspended}`}
          {organization.archivedAt !== null && `, ${words.archived}`}
        </li>
      ))}
    </ul>
  );
}
