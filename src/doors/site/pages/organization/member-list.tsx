/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { MEMBER_ROLES, type Member } from "../../../../customers/accounts/accounts.table.ts";
import { roleDenial } from "../../../../customers/accounts/member-rules.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { RoleForm } from "../../look/role-form.tsx";
import { withoutForm } from "../../look/row-actions.tsx";
import { Instant } from "../../look/shown.tsx";
import { isManager, membershipOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";

/** Members; administrators also see what they may do with each. */
export function MemberList({
  visit,
  members,
  canMail,
}: {
  visit: Visit;
  members: readonly Member[];
  canMail: boolean;
}): JSX.Element {
  const { words: common } = visit;
  const words = visit.words.organizationPages;
  const heads = [common.name, common.email, common.role, words.state];
  if (isManager(visit)) heads.push(words.actions);
  return (
    <DataTable label={common.members} columns={heads}>
      {members.map((member) => (
        <MemberRow visit={visit} member={member} canMail={canMail} />
      ))}
    </DataTable>
  );
}

interface RowProps {
  visit: Visit;
  member: Member;
  /** Whether links can be mailed. */
  canMail: boolean;
}

function MemberRow({ visit, member, canMail }: RowProps): JSX.Element {
  const words = visit.words.organizationPages;
  const actor = membershipOf(visit).member;
  const roles = MEMBER_ROLES.filter((role) => roleDenial(actor, role) === null);
  const isYou = member.id === actor.id;
  const mayChange = roleDenial(actor, member.role) === null;
  return (
    <tr>
      <th scope="row">
        <bdi>{member.name || member.email}</bdi>
        {isYou && ` (${words.you})`}
      </th>
      <td class="long">
        <bdi>{member.email}</bdi>
      </td>
      <td>
        {mayChange ? (
          <RoleForm visit={visit} member={member} roles={roles} />
        ) : (
          visit.words.roles[member.role]
        )}
      </td>
      <td>
        {member.suspendedAt === null ? (
          words.memberStates.active
        ) : (
          <>
            {words.memberStates.suspended}, <Instant visit={visit} at={member.suspendedAt} />
          </>
        )}
      </td>
      {isManager(visit) && (
        <td>
          {mayChange && !isYou && <Actions visit={visit} member={member} canMail={canMail} />}
        </td>
      )}
    </tr>
  );
}

function Actions({ visit, member, canMail }: RowProps): JSX.Element {
  const words = visit.words.organizationPages;
  const row = { visit: withoutForm(visit), fields: { member: member.id } };
  if (member.suspendedAt !== null) {
    return (
      <ActionButton
        {...row}
        action="restore"
        label={words.restore}
        confirm={words.restoreQuestion}
      />
    );
  }
  return (
    <>
      <ActionButton
        {...row}
        action="link"
        label={words.linkAgain}
        confirm={canMail ? words.linkAgainQuestion : words.linkCopyQuestion}
      />
      <ActionButton
        {...row}
        action="suspend"
        label={words.suspend}
        confirm={words.suspendQuestion}
        danger
      />
    </>
  );
}
