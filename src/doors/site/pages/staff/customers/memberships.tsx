/** @jsxImportSource hono/jsx */
import { NamedLink } from "../../../look/user-text.tsx";
import { useSite, useVisit } from "../../../visit/use-visit.ts";

/** The organizations that somebody belongs to, with their roles. */
export async function Memberships({ email }: { email: string }) {
  const visit = useVisit();
  const words = visit.words.staffPages;
  const memberships = await useSite().accounts.allMembershipsOf(email);
  if (memberships.length === 0) return <>—</>;
  return (
    <ul class="bare">
      {memberships.map(({ member, organization }) => (
        <li>
          <NamedLink to={`/staff/organizations/${organization.id}/`}>{organization.name}</NamedLink>
          {`, ${visit.words.roles[member.role]}`}
          {member.suspendedAt !== null && `, ${words.suspended}`}
          {organization.archivedAt !== null && `, ${words.archived}`}
        </li>
      ))}
    </ul>
  );
}
