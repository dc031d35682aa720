/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { MEMBER_ROLES, type Member, type Organization } from "../../../accounts/accounts.table.ts";
import type { Key } from "../../../keys/keys.table.ts";
import { ActionButton, Form } from "../../form.tsx";
import { Instant, LastDay } from "../../formats.tsx";
import type { SiteContext } from "../../site-context.ts";
import type { Visit } from "../../visit.ts";
import { staffWords } from "../../words/staff.ts";
import { DataTable } from "./console.tsx";

export function MembersTable({
  visit,
  members,
}: {
  visit: Visit;
  members: readonly Member[];
}): JSX.Element {
  const words = staffWords[visit.language];
  if (members.length === 0) return <p>{words.none}</p>;
  return (
    <DataTable
      label={words.members}
      columns={[visit.words.email, visit.words.name, visit.words.role, words.state, words.actions]}
    >
      {members.map((member) => (
        <tr>
          <th scope="row" class="long">
            <bdi>{member.email}</bdi>
          </th>
          <td>
            <bdi>{member.name}</bdi>
          </td>
          <td>
            <RoleForm visit={visit} member={member} />
          </td>
          <td>{member.suspendedAt === null ? words.active : words.suspended}</td>
          <td>
            <ActionButton
              visit={visit}
              action={member.suspendedAt === null ? "suspend" : "reinstate"}
              label={member.suspendedAt === null ? words.suspend : words.reinstate}
              description={member.email}
              fields={{ member: member.id }}
              danger={member.suspendedAt === null}
            />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function RoleForm({ visit, member }: { visit: Visit; member: Member }): JSX.Element {
  const words = staffWords[visit.language];
  return (
    <Form visit={visit} action="role">
      <input type="hidden" name="member" value={member.id} />
      <span class="row">
        <select name="role" aria-label={`${words.roleOf} ${member.email}`}>
          {MEMBER_ROLES.map((role) => (
            <option value={role} selected={role === member.role}>
              {visit.words.roles[role]}
            </option>
          ))}
        </select>
        <button type="submit">{words.setRole}</button>
      </span>
    </Form>
  );
}

export function KeysTable({
  visit,
  context,
  organization,
}: {
  visit: Visit;
  context: SiteContext;
  organization: Organization;
}): JSX.Element {
  const words = staffWords[visit.language];
  const keys = context.keys.keys(organization.id);
  if (keys.length === 0) return <p>{words.none}</p>;
  const emails = new Map(
    context.accounts.members(organization.id).map(({ id, email }) => [id, email]),
  );
  return (
    <DataTable
      label={words.keys}
      columns={[
        ...[words.key, visit.words.name, words.member, words.access, words.lastUsed],
        ...[words.expires, words.state],
      ]}
    >
      {keys.map((key) => {
        const lastUsedAt = context.services.keyUse.lastUsedAt(key);
        return (
          <tr>
            <th scope="row">
              <code>{key.prefix}…</code>
            </th>
            <td>
              <bdi>{key.name}</bdi>
            </td>
            <td class="long">
              <bdi>{emails.get(key.memberId)}</bdi>
            </td>
            <td>{words.accesses[key.access]}</td>
            <td>
              {lastUsedAt === null ? (
                words.never
              ) : (
                <Instant at={lastUsedAt} language={visit.language} />
              )}
            </td>
            <td>
              {key.expiresAt === null ? (
                "–"
              ) : (
                <LastDay endsAt={key.expiresAt} language={visit.language} />
              )}
            </td>
            <td>
              <KeyState visit={visit} of={key} />
            </td>
          </tr>
        );
      })}
    </DataTable>
  );
}

function KeyState({ visit, of: key }: { visit: Visit; of: Key }): JSX.Element {
  const words = staffWords[visit.language];
  if (key.revokedAt !== null) return <>{words.revoked}</>;
  if (key.expiresAt !== null && key.expiresAt <= visit.nowMs) return <>{words.expired}</>;
  return (
    <ActionButton
      visit={visit}
      action="revoke"
      label={words.revoke}
      description={key.prefix}
      fields={{ key: key.id }}
      confirm={words.revokeConfirm}
      danger
    />
  );
}
