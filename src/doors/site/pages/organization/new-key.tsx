/** @jsxImportSource hono/jsx */
import { requiredName } from "../../../../customers/accounts/accounts.ts";
import type { NewKey } from "../../../../customers/keys/key-changes.ts";
import { requireTurn } from "../../guard/require-turn.ts";
import { Snippet } from "../../look/shown.tsx";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { asset, page, type View } from "../../visit/view.ts";
import { currentActor, ownMembership } from "../../visit/viewer.ts";
import { ConnectWays } from "./connect-ways.tsx";

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
  const command = `curl -H "Authorization: Bearer ${token}" ${visit.ownAddress}/v1/me/`;
  return page(
    words.yourKey,
    <>
      {notice !== null && <p role="status">{notice}</p>}
      <p role="status">{words.keyMade}</p>
      <Snippet text={token} label={words.key} />
      <h2>{words.tryKey}</h2>
      <Snippet text={command} label={words.tryCommand} />
      <p>
        <a class="button" href={asset("/account/keys/")}>
          {words.keyKept}
        </a>
      </p>
      <h2>{words.connectFilledIn}</h2>
      <ConnectWays filledIn={token} oauthAddress={oauthAddress()} />
    </>,
    { setCookies },
  );
}
