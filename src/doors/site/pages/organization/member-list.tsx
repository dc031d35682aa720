/** @jsxImportSource hono/jsx */
import { MEMBER_ROLES, type Member } from "../../../../customers/accounts/accounts.table.ts";
import { roleDenial } from "../../../../customers/accounts/member-rules.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { type Column, DataTable } from "../../look/data-table.tsx";
import { RoleForm } from "../../look/role-form.tsx";
import { Instant } from "../../look/shown.tsx";
import { useVisit } from "../../visit/use-visit.ts";
import { isManager, ownMembership } from "../../visit/viewer.ts";

/** Members; administrators also see what they may do with each. */
export function MemberList({ members, canMail }: { members: readonly Member[]; canMail: boolean }) {
  const { words: common } = useVisit();
  const words = common.organizationPages;
  const actor = ownMembership().member;
  const roles = MEMBER_ROLES.filter((role) => roleDenial(actor, role) === null);
  const mayChange = ({ role }: Member) => roleDenial(actor, role) === null;
  const actions: Column<Member> = [
    words.actions,
    (member) =>
      mayChange(member) && member.id !== actor.id && <Actions member={member} canMail={canMail} />,
  ];
  return (
    <DataTable
      label={common.members}
      rows={members}
      columns={[
        [
          common.name,
          ({ id, name, email }) => (
            <>
              <bdi>{name || email}</bdi>
              {id === actor.id && ` (${words.you})`}
            </>
          ),
          "row",
        ],
        [common.email, ({ email }) => <bdi>{email}</bdi>, "long"],
        [
          common.role,
          (member) =>
            mayChange(member) ? (
              <RoleForm member={member} roles={roles} />
            ) : (
              common.roles[member.role]
            ),
        ],
        [
          words.state,
          ({ suspendedAt }) =>
            suspendedAt === null ? (
              words.memberStates.active
            ) : (
              <>
                {words.memberStates.suspended}, <Instant at={suspendedAt} />
              </>
            ),
        ],
        ...(isManager() ? [actions] : []),
      ]}
    />
  );
}

function Actions({ member, canMail }: { member: Member; canMail: boolean }) {
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
