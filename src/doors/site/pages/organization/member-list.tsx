/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { MEMBER_ROLES, type Member } from "../../../../customers/accounts/accounts.table.ts";
import { roleDenial } from "../../../../customers/accounts/member-rules.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { RoleForm } from "../../look/role-form.tsx";
import { Instant } from "../../look/shown.tsx";
import { useVisit } from "../../visit/use-visit.ts";
import { isManager, ownMembership } from "../../visit/viewer.ts";

/** Members; administrators also see what they may do with each. */
export function MemberList({
  members,
  canMail,
}: {
  members: readonly Member[];
  canMail: boolean;
}): JSX.Element {
  const visit = useVisit();
  const { words: common } = visit;
  const words = visit.words.organizationPages;
  const heads = [common.name, common.email, common.role, words.state];
  if (isManager()) heads.push(words.actions);
  return (
    <DataTable label={common.members} columns={heads}>
      {members.map((member) => (
        <MemberRow member={member} canMail={canMail} />
      ))}
    </DataTable>
  );
}

interface RowProps {
  member: Member;
  /** Whether links can be mailed. */
  canMail: boolean;
}

function MemberRow({ member, canMail }: RowProps): JSX.Element {
  const visit = useVisit();
  const words = visit.words.organizationPages;
  const actor = ownMembership().member;
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
        {mayChange ? <RoleForm member={member} roles={roles} /> : visit.words.roles[member.role]}
      </td>
      <td>
        {member.suspendedAt === null ? (
          words.memberStates.active
        ) : (
          <>
            {words.memberStates.suspended}, <Instant at={member.suspendedAt} />
          </>
        )}
      </td>
      {isManager() && (
        <td>{mayChange && !isYou && <Actions member={member} canMail={canMail} />}</td>
      )}
    </tr>
  );
}

function Actions({ member, canMail }: RowProps): JSX.Element {
  const words = useVisit().words.organizationPages;
  const row = { inRow: true, fields: { member: member.id } };
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
