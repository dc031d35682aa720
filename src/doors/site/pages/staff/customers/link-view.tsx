/** @jsxImportSource hono/jsx */
import { passwordAddress } from "../../../../../customers/people/password-address.ts";
import { asset } from "../../../visit/site-path.ts";
import { useVisit } from "../../../visit/use-visit.ts";
import { page, type View } from "../../../visit/view.ts";

/**
 * A link to be passed on by hand. It opens somebody's account, so it is only shown in this answer: a
 * redirect would leave it in the browser's history.
 * @param token null for somebody who has a password and only needs to sign in
 */
export function linkView(email: string, token: string | null, back: string): View {
  const visit = useVisit();
  const words = visit.words.staffPages;
  const { ownAddress } = visit;
  const address = token === null ? `${ownAddress}/account/` : passwordAddress(ownAddress, token);
  return page(
    `${words.linkTitle} ${email}`,
    <>
      <p>{token === null ? words.signInLinkText : words.linkText}</p>
      <pre class="secret">{address}</pre>
      <p class="row">
        <button type="button" data-copy={address} data-copied={words.copied} hidden>
          {words.copy}
        </button>
        <a href={asset(back)}>{words.back}</a>
      </p>
    </>,
  );
}
