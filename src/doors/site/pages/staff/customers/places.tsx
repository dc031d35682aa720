/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Membership } from "../../../../../customers/accounts/accounts.ts";
import { asset } from "../../../visit/site-path.ts";
import type { Visit } from "../../../visit/visit.ts";

/** The organizations that somebody belongs to, with their roles. */
export function Places({
  visit,
  places,
}: {
  visit: Visit;
  places: readonly Membership[];
}): JSX.Element {
  const words = visit.words.staffPages;
  if (places.length === 0) return <>—</>;
  return (
    <ul class="bare">
      {places.map(({ member, organization }) => (
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
