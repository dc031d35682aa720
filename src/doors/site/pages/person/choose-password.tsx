/** @jsxImportSource hono/jsx */
import { pageError } from "../../forms/faults.ts";
import { Form } from "../../look/form.tsx";
import { NewPasswordField } from "../../look/role-form.tsx";
import type { SitePage } from "../../site-pages.ts";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { asset, page, redirect, type View } from "../../visit/view.ts";
import { linkToken } from "./link-token.ts";

/** `/account/choose-password/?token=…`: after an invitation, or a forgotten password. */
export const choosePasswordPage: SitePage = {
  path: "/account/choose-password/",
  access: "anybody",
  async show(visit, { people }) {
    const { words } = visit;
    if (!(await people.opensLink(linkToken()))) return linkUsedPage();
    return page(
      words.choosePassword,
      <>
        <Form action="choose" submit={words.save}>
          <input type="hidden" name="token" value={linkToken()} />
          <NewPasswordField />
        </Form>
        <p>
          <a href={asset("/account/sign-in/")}>{words.signIn}</a>
        </p>
      </>,
    );
  },
  actions: { choose },
};

/** Says that a link was used, before somebody types a password in vain. */
function linkUsedPage(): View {
  const { words } = useVisit();
  return page(
    words.choosePassword,
    <>
      <p role="alert">{words.linkUsed}</p>
      <p class="row">
        <a href={asset("/account/sign-in/")}>{words.signIn}</a>
        <a href={asset("/account/forgotten-password/")}>{words.forgotten}</a>
      </p>
    </>,
    { status: 404 },
  );
}

async function choose(): Promise<View> {
  const { people } = useSite();
  const { form, words, network } = useVisit();
  const password = form.get("password");
  const isChosen = await people.choosePassword({ token: linkToken(), password, network });
  if (!isChosen) throw pageError("conflict", words.linkUsed);
  return redirect("/account/sign-in/?done=password");
}
