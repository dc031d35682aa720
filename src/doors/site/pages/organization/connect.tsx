/** @jsxImportSource hono/jsx */
import { raw } from "hono/html";
import { KEY_PLACE, mcpAddress } from "../../../../customers/keys/connect-snippets.ts";
import { ActionButton, RowFaults } from "../../look/action-button.tsx";
import { type Column, DataTable } from "../../look/data-table.tsx";
import { Form, TextField } from "../../look/form.tsx";
import { DayOf, Instant, LastDayBefore } from "../../look/shown.tsx";
import { Done } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { isManager, ownMembership } from "../../visit/viewer.ts";
import { asset, page, useSite, useVisit } from "../../visit/visit.ts";
import { revokeKey } from "./key-table.tsx";
import { ConnectWays, makeKey } from "./new-key.tsx";

/** `/account/connect/`: how to connect assistants, with this appliance's address filled in. */
export const connectPage: SitePage = {
  path: "/account/connect/",
  access: "member",
  show(visit, context) {
    const words = visit.words.organizationPages;
    return page(
      visit.words.connect,
      <>
        <Done words={{ revoked: words.keyRevoked }} />
        <RowFaults actions={["revoke"]} />
        <GrantList />
        <p>
          {words.connectIntro} <code>{mcpAddress(visit.ownAddress)}</code>. {words.connectKey}{" "}
          <code>{KEY_PLACE}</code>.
        </p>
        <Form action="make-key" once submit={words.fillIn}>
          <TextField
            name="name"
            label={words.keyName}
            hint={words.fillInHint}
            value={words.assistant}
          />
        </Form>
        <p>
          {words.connectCost} <a href={asset("/docs/mcp/")}>{words.toolsPage}</a>.
        </p>
        <ConnectWays oauthAddress={context.oauthAddress()} />
      </>,
    );
  },
  actions: {
    "make-key": () => makeKey({ access: "read_only", expiresAt: null }),
    revoke: () => revokeKey("/account/connect/"),
  },
};

/** Assistants that were granted access by signing in; managers see those of all members. */
async function GrantList() {
  const context = useSite();
  const { organizationPages: words, never, actions } = useVisit().words;
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
              return <Instant at={at} none={never} />;
            },
          ],
          [words.expiresAt, ({ key }) => <LastDayBefore at={key.expiresAt} />],
          [
            actions,
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
