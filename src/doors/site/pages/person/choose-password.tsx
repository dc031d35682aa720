/** @jsxImportSource hono/jsx */
import { pageError } from "../../forms/faults.ts";
import { Form } from "../../look/form.tsx";
import { NewPasswordField } from "../../look/person-fields.tsx";
import type { SiteContext } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { asset } from "../../visit/site-path.ts";
import { page, redirect, type View } from "../../visit/view.ts";
import type { Visit } from "../../visit/visit.ts";
import { tokenOf } from "./link-token.ts";

/** `/account/choose-password/?token=…`: after an invitation, or a forgotten password. */
export const choosePasswordPage: SitePage = {
  path: "/account/choose-password/",
  access: "anybody",
  async show(visit, { people }) {
    const { words } = visit;
    if (!(await people.opensLink(tokenOf(visit)))) return linkUsedPage(visit);
    return page(
      words.choosePassword,
      <>
        <Form visit={visit} action="choose">
          <input type="hidden" name="token" value={tokenOf(visit)} />
          <NewPasswordField visit={visit} action="choose" />
          <button type="submit">{words.save}</button>
        </Form>
        <p>
          <a href={asset(visit, "/account/sign-in/")}>{words.signIn}</a>
        </p>
      </>,
    );
  },
  actions: { choose },
};

/** Says that a link was used, before somebody types a password in vain. */
function linkUsedPage(visit: Visit): View {
  const { words } = visit;
  return page(
    words.choosePassword,
    <>
      <p role="alert">{words.linkUsed}</p>
      <p class="row">
        <a href={asset(visit, "/account/sign-in/")}>{words.signIn}</a>
        <a href={asset(visit, "/account/forgotten-password/")}>{words.forgotten}</a>
      </p>
    </>,
    { status: 404 },
  );
}

async function choose(visit: Visit, { people }: SiteContext): Promise<View> {
  const { form, words, network } = visit;
  const password = form.get("password");
  const isChosen = await people.choosePassword({ token: tokenOf(visit), password, network });
  if (!isChosen) throw pageError("conflict", words.linkUsed);
  return redirect("/account/sign-in/?done=password");
}
