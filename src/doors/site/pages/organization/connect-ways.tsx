/** @jsxImportSource hono/jsx */
import {
  type ConnectSnippet,
  connectSnippets,
  mcpAddress,
} from "../../../../customers/keys/connect-snippets.ts";
import { Snippet } from "../../look/shown.tsx";
import { useVisit } from "../../visit/use-visit.ts";
import { asset } from "../../visit/view.ts";

/**
 * How to connect each kind of assistant, in one step: a link to press or a text to paste.
 * @param filledIn the key; without it, a placeholder is shown
 * @param oauthAddress the appliance's address if that alone is enough; null if not
 */
export function ConnectWays({
  filledIn,
  oauthAddress,
}: {
  filledIn?: string;
  oauthAddress: string | null;
}) {
  const visit = useVisit();
  return (
    <>
      {oauthAddress !== null && <ByAddress address={mcpAddress(oauthAddress)} />}
      {connectSnippets(visit.ownAddress, filledIn).map((snippet) => (
        <Way snippet={snippet} />
      ))}
    </>
  );
}

function ByAddress({ address }: { address: string }) {
  const visit = useVisit();
  const words = visit.words.organizationPages;
  return (
    <section aria-labelledby="by-address">
      <h2 id="by-address">claude.ai, ChatGPT</h2>
      <p>{words.byAddress}</p>
      <Snippet text={address} label={words.address} />
      <p>
        <a href={asset("/account/connect/test/")}>{visit.words.connectionTest.title}</a>
      </p>
    </section>
  );
}

function Way({ snippet }: { snippet: ConnectSnippet }) {
  const words = useVisit().words.organizationPages;
  const { id, files = [], text, link } = snippet;
  const name = id === "bridge" || id === "curl" ? words.snippetNames[id] : snippet.name;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{name}</h2>
      {link !== undefined && (
        <p>
          <a class="button" href={link}>
            {words.addTo(name)}
          </a>
        </p>
      )}
      <p>
        {words.snippetNotes[id]}{" "}
        {files.map((file, at) => (
          <>
            {at > 0 && ", "}
            <code>{file}</code>
          </>
        ))}
      </p>
      {id === "claude-desktop" ? (
        <p>
          <a class="button" href={text} download="kanalog.mcpb">
            {words.download} kanalog.mcpb
          </a>
        </p>
      ) : (
        <Snippet text={text} label={name} />
      )}
    </section>
  );
}
