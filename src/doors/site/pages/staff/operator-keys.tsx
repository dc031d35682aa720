/** @jsxImportSource hono/jsx */
import type { OperatorKey } from "../../../../customers/operator-keys/operator-keys.table.ts";
import { operatorKeys } from "../../../../verbs/operator/operator-keys.ts";
import { verbAction } from "../../forms/verb-action.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { RowFaults, sentNumber } from "../../look/row-actions.tsx";
import { Instant, LastDayBefore, Snippet } from "../../look/shown.tsx";
import { VerbForm } from "../../look/verb-form.tsx";
import type { SitePage } from "../../site-pages.ts";
import { asset } from "../../visit/site-path.ts";
import { useVisit } from "../../visit/use-visit.ts";
import { page, redirect } from "../../visit/view.ts";
import { consolePage } from "./console.tsx";

const PATH = "/staff/keys/";

/** `/staff/keys/`: keys of the operator's API. */
export const operatorKeysPage: SitePage = {
  path: PATH,
  access: "staff",
  async show(visit, context) {
    const words = visit.words.operatorKeysPage;
    const keys = await context.operatorKeys.list();
    return consolePage(
      words.title,
      <>
        <p>
          {words.text} <a href={asset("/docs/operator/")}>{words.documentation}</a>
        </p>
        <RowFaults actions={["revoke"]} />
        {keys.length > 0 && <KeysTable keys={keys} />}
        <h2>{words.create}</h2>
        <VerbForm resource={operatorKeys} verb="create" label={words.create} once />
      </>,
    );
  },
  actions: {
    // The key is only shown in this answer: a redirect would leave it in the browser's history.
    create: verbAction(operatorKeys, "create", (made) => {
      const visit = useVisit();
      const words = visit.words.operatorKeysPage;
      const copying = visit.words.organizationPages;
      return page(
        words.made,
        <>
          <p>{words.madeText}</p>
          <Snippet text={String(made["key"])} label={words.key} words={copying} />
          <Snippet
            text={`curl -H "Authorization: Bearer ${made["key"]}" "${visit.ownAddress}/operator/v1/organizations/"`}
            label="curl"
            words={copying}
          />
          <p>
            <a href={asset(PATH)}>{words.title}</a>
          </p>
        </>,
      );
    }),
    revoke: verbAction(
      operatorKeys,
      "revoke",
      () => redirect(`${PATH}?done=revoked`),
      () => sentNumber("key"),
    ),
  },
};

function KeysTable({ keys }: { keys: readonly OperatorKey[] }) {
  const visit = useVisit();
  const words = visit.words.staffPages;
  const { labels } = visit.words.resources;
  return (
    <DataTable
      label={visit.words.operatorKeysPage.title}
      columns={[
        words.key,
        visit.words.name,
        labels["can"] ?? "",
        words.created,
        words.expires,
        words.state,
      ]}
    >
      {keys.map((key) => (
        <tr>
          <th scope="row">
            <code>{key.prefix}…</code>
          </th>
          <td class="long">
            <bdi>{key.name}</bdi>
          </td>
          <td>
            <code>{key.can.join(" ")}</code>
          </td>
          <td>
            <Instant at={key.createdAt} />
          </td>
          <td>
            <LastDayBefore at={key.expiresAt} />
          </td>
          <td>
            {key.revokedAt !== null ? (
              words.revoked
            ) : key.expiresAt !== null && key.expiresAt <= visit.nowMs ? (
              words.expired
            ) : (
              <ActionButton
                inRow
                action="revoke"
                label={words.revoke}
                description={key.prefix}
                fields={{ key: key.id }}
                confirm={words.revokeConfirm}
                danger
              />
            )}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
