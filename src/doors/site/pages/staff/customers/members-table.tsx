/** @jsxImportSource hono/jsx */
import { MEMBER_ROLES, type Member } from "../../../../../customers/accounts/accounts.table.ts";
import { ActionButton } from "../../../look/action-button.tsx";
import { DataTable } from "../../../look/data-table.tsx";
import { RoleForm } from "../../../look/role-form.tsx";
import { useVisit } from "../../../visit/use-visit.ts";
import { paged } from "../console.tsx";

export function MembersTable({ members }: { members: readonly Member[] }) {
  const visit = useVisit();
  const words = visit.words.staffPages;
  const { shown, pager } = paged(members);
  return (
    <>
      <DataTable
        label={words.members}
        empty={words.none}
        rows={shown}
        columns={[
          [visit.words.email, ({ email }) => <bdi>{email}</bdi>, "row long"],
          [visit.words.name, ({ name }) => <bdi>{name}</bdi>],
          [visit.words.role, (member) => <RoleForm member={member} roles={MEMBER_ROLES} />],
          [words.state, (member) => (member.suspendedAt === null ? words.active : words.suspended)],
          [
            words.actions,
            ({ id, email, suspendedAt }) => (
              <ActionButton
                inRow
                action={suspendedAt === null ? "suspend" : "reinstate"}
                label={suspendedAt === null ? words.suspend : words.reinstate}
                description={email}
                fields={{ member: id }}
                danger={suspendedAt === null}
              />
            ),
          ],
        ]}
      />
      {pager}
    </>
  );
}
