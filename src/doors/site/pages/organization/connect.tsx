/** @jsxImportSource hono/jsx */
import { KEY_PLACE, mcpAddress } from "../../../../customers/keys/connect-snippets.ts";
import { Done } from "../../look/done.tsx";
import { Form, TextField } from "../../look/form.tsx";
import { RowFaults } from "../../look/row-actions.tsx";
import type { SitePage } from "../../site-pages.ts";
import { asset } from "../../visit/site-path.ts";
import { page } from "../../visit/view.ts";
import { ConnectWays } from "./connect-ways.tsx";
import { GrantList } from "./grant-list.tsx";
import { makeKey } from "./new-key.tsx";
import { revokeKey } from "./revoke-key.ts";

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
