/** @jsxImportSource hono/jsx */
import {
  type ConnectSnippet,
  connectSnippets,
  KEY_PLACE,
  mcpAddress,
} from "../../../../customers/keys/connect-snippets.ts";
import { asset } from "../../look/layout.tsx";
import { Snippet } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { page } from "../../visit/view.ts";
import type { Visit } from "../../visit/visit.ts";

/** `/account/connect/`: how assistants connect, with this appliance's own address filled in. */
export const connectPage: SitePage = {
  path: "/account/connect/",
  access: "member",
  show(visit) {
    const { ownAddress } = visit;
    const words = visit.words.organizationPages;
    return page(
      visit.words.connect,
      <>
        <p>
          {words.connectIntro} <code>{mcpAddress(ownAddress)}</code>. {words.connectKey}{" "}
          <code>{KEY_PLACE}</code>. <a href={asset(visit, "/account/keys/")}>{words.makeKey}</a>
        </p>
        <p>
          {words.connectCost} <a href={asset(visit, "/docs/mcp/")}>{words.toolsPage}</a>.
        </p>
        {connectSnippets(ownAddress).map((snippet) => (
          <SnippetSection visit={visit} snippet={snippet} />
        ))}
      </>,
    );
  },
};

function SnippetSection({ visit, snippet }: { visit: Visit; snippet: ConnectSnippet }) {
  const words = visit.words.organizationPages;
  const { id, files, text } = snippet;
  const name = id === "bridge" || id === "curl" ? words.snippetNames[id] : snippet.name;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{name}</h2>
      <p>
        {words.snippetNotes[id]}{" "}
        {files.map((file, at) => (
          <>
            {at > 0 && ", "}
            <code>{file}</code>
          </>
        ))}
      </p>
      <Snippet text={text} label={name} words={words} />
    </section>
  );
}
