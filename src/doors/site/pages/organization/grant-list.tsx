/** @jsxImportSource hono/jsx */
import { raw } from "hono/html";
import { ActionButton } from "../../look/action-button.tsx";
import { type Column, DataTable } from "../../look/data-table.tsx";
import { DayOf, Instant, LastDayBefore } from "../../look/shown.tsx";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { isManager, ownMembership } from "../../visit/viewer.ts";

/** Assistants that were granted access by signing in; managers see those of all members. */
export async function GrantList() {
  const context = useSite();
  const words = useVisit().words.organizationPages;
  const { member, organization } = ownMembership();
  const all = await context.oauth.grants(organization.id);
  const grants = all.filter(({ key }) => isManager() || key.memberId === member.id);
  const owners = new Map(
    (await context.accounts.members(organization.id)).map((one) => [one.id, one]),
  );
  if (grants.length === 0) return raw("");
  const owner: Column<(typeof grants)[number]> = [
    words.owner,
    ({ key }) => <bdi>{owners.get(key.memberId)?.name || owners.get(key.memberId)?.email}</bdi>,
  ];
  return (
    <>
      <h2>{words.letIn}</h2>
      <DataTable
        label={words.letIn}
        rows={grants}
        columns={[
          [words.assistant, ({ key }) => <bdi>{key.name}</bdi>, "row"],
          [words.host, ({ host }) => host],
          ...(isManager() ? [owner] : []),
          [words.created, ({ key }) => <DayOf at={key.createdAt} />],
          [
            words.lastUsed,
            ({ key }) => {
              const at = context.services.keyUse.lastUsedAt(key);
              return <Instant at={at} none={words.never} />;
            },
          ],
          [words.expiresAt, ({ key }) => <LastDayBefore at={key.expiresAt} />],
          [
            words.actions,
            ({ key }) => (
              <ActionButton
                inRow
                action="revoke"
                label={words.revoke}
                description={key.name}
                fields={{ key: key.id }}
                confirm={words.revokeGrantQuestion}
                danger
              />
            ),
          ],
        ]}
      />
    </>
  );
}
