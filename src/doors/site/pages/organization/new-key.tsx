/** @jsxImportSource hono/jsx */
import { requiredName } from "../../../../customers/accounts/accounts.ts";
import type { ConnectSnippet } from "../../../../customers/keys/connect-snippets.ts";
import { connectSnippets, mcpAddress } from "../../../../customers/keys/connect-snippets.ts";
import type { NewKey } from "../../../../customers/keys/key-changes.ts";
import { requireTurn } from "../../guard/throttle.ts";
import { Snippet } from "../../look/shown.tsx";
import { currentActor, ownMembership } from "../../visit/viewer.ts";
import { asset, page, useSite, useVisit, type View } from "../../visit/visit.ts";

/** Creates a key for the visitor, named as in the form, and shows it. @throws AppError `invalid` */
export async function makeKey(wanted: Pick<NewKey, "access" | "expiresAt">): Promise<View> {
  const { member, organization } = ownMembership();
  const name = requiredName(useVisit().form.get("name"));
  requireTurn([`key ${organization.id}`]);
  const key = { memberId: member.id, name, ...wanted };
  const { token } = await useSite().keys.createKey(key, currentActor());
  return newKeyView(token);
}

/** Shows the new key in the answer to its form: no page that can be reopened ever contains it. */
export function newKeyView(
  token: string,
  {
    notice = null,
    setCookies = [],
  }: { /** Shown first. */ notice?: string | null; setCookies?: string[] } = {},
): View {
  const visit = useVisit();
  const { oauthAddress } = useSite();
  const words = visit.words.organizationPages;
  // Somebody who has just signed in begins at the overview, which shows one next step at a time.
  const kept = setCookies.length > 0 ? "/account/" : "/account/keys/";
  const call = `${visit.ownAddress}/v1/msgr/channels/?ordering=-subscribers&limit=3`;
  const command = `curl -H "Authorization: Bearer ${token}" "${call}"`;
  return page(
    words.yourKey,
    <>
      {notice !== null && <p role="status">{notice}</p>}
      <ol class="steps">
        <li>
          <h2>{words.key}</h2>
          <p role="status">{words.keyMade}</p>
          <Snippet text={token} label={words.key} />
        </li>
        <li data-first-call>
          <h2>
            {words.firstCall} <small hidden>✓ {words.firstCallCame}</small>
          </h2>
          <p>{words.firstCallText}</p>
          <Snippet text={command} label={words.tryCommand} />
          <p>
            <button type="button" hidden data-run={call} data-key={token}>
              {words.runHere}
            </button>
          </p>
          <pre class="answer" hidden tabindex={0} aria-live="polite" />
        </li>
      </ol>
      <p>
        <a class="button second" href={asset(kept)}>
          {words.keyKept}
        </a>
      </p>
      <details>
        <summary>{words.connectFilledIn}</summary>
        <ConnectWays filledIn={token} oauthAddress={oauthAddress()} />
      </details>
    </>,
    { setCookies },
  );
}

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
  const { organizationPages: words, connectionTest } = useVisit().words;
  return (
    <section aria-labelledby="by-address">
      <h2 id="by-address">claude.ai, ChatGPT</h2>
      <p>{words.byAddress}</p>
      <Snippet text={address} label={words.address} />
      <p>
        <a href={asset("/account/connect/test/")}>{connectionTest.title}</a>
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
