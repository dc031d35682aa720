/** @jsxImportSource hono/jsx */
import type { Row } from "../../../../verbs/operator/resource.ts";
import { operatorKeys } from "../../../../verbs/operator/system/operator-keys.ts";
import { verbAction } from "../../forms/verb-action.ts";
import { RowFaults, sentNumber } from "../../look/action-button.tsx";
import { Snippet } from "../../look/shown.tsx";
import { VerbForm } from "../../look/verb-form.tsx";
import type { SitePage } from "../../site-pages.ts";
import { asset, page, useVisit, type View } from "../../visit/visit.ts";
import { KeyTable } from "../organization/key-table.tsx";
import { consolePage } from "./console.tsx";

const PATH = "/staff/keys/";

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
        {keys.length > 0 && (
          <KeyTable
            label={words.title}
            keys={keys}
            accessOf={({ can }) => <code>{can.join(" ")}</code>}
          />
        )}
        <h2>{words.create}</h2>
        <VerbForm resource={operatorKeys} verb="create" submit={words.create} once />
      </>,
    );
  },
  actions: {
    create: verbAction(operatorKeys, "create", { shows: shownOnce }),
    revoke: verbAction(operatorKeys, "revoke", { of: () => sentNumber("key") }),
  },
};

/** The key is only shown in this answer: a redirect would leave it in the browser's history. */
function shownOnce(made: Row): View {
  const visit = useVisit();
  const words = visit.words.operatorKeysPage;
  return page(
    words.made,
    <>
      <p>{words.madeText}</p>
      <Snippet text={String(made["key"])} label={words.key} />
      <Snippet
        text={`curl -H "Authorization: Bearer ${made["key"]}" "${visit.ownAddress}/operator/v1/organizations/"`}
        label="curl"
      />
      <p>
        <a href={asset(PATH)}>{words.title}</a>
      </p>
    </>,
  );
}
