/** @jsxImportSource hono/jsx */
import { AppError, fieldError } from "../../errors.ts";
import { Form, TextField } from "../form.tsx";
import type { SiteContext } from "../site-context.ts";
import type { SitePage } from "../site-pages.ts";
import { page, redirect, type View } from "../view.ts";
import type { Visit } from "../visit.ts";

/** `/account/profile/`: who is signed in, and their password. */
export const profilePage: SitePage = {
  path: "/account/profile/",
  access: "person",
  show(visit) {
    const { words, signedIn, memberships } = visit;
    const field = { visit, action: "change-password", type: "password" };
    return page(
      words.profile,
      <>
        {visit.query.get("done") === "password" && <p role="status">{words.passwordChanged}</p>}
        {memberships.length === 0 && <p>{words.noOrganization}</p>}
        <dl>
          <dt>{words.name}</dt>
          <dd>{signedIn?.person.name}</dd>
          <dt>{words.email}</dt>
          <dd>{signedIn?.person.email}</dd>
        </dl>
        <h2>{words.changePassword}</h2>
        <Form visit={visit} action="change-password">
          <TextField
            {...field}
            name="password"
            label={words.presentPassword}
            autocomplete="current-password"
          />
          <TextField
            {...field}
            name="newPassword"
            label={words.newPassword}
            hint={words.choosePasswordHint}
            autocomplete="new-password"
          />
          <button type="submit">{words.save}</button>
        </Form>
      </>,
    );
  },
  actions: { "change-password": changePassword },
};

async function changePassword(visit: Visit, { people, attempts }: SiteContext): Promise<View> {
  const { form, words, request, signedIn } = visit;
  // Who found a session open does not learn the password by it.
  if (!attempts.take([`present password ${signedIn?.person.id}`], visit.nowMs)) {
    throw new AppError("throttled", words.tooManyAttempts);
  }
  const changed = await people
    .changePassword({
      cookie: request.headers.get("cookie") ?? "",
      password: form.get("password"),
      newPassword: form.get("newPassword"),
    })
    .catch((error) => {
      // The operation knows one password only, the new one.
      const fields = error?.fields?.password;
      throw fields === undefined ? error : fieldError({ newPassword: fields });
    });
  if (changed === null) throw fieldError({ password: [words.wrongPresentPassword] });
  return redirect("/account/profile/?done=password", changed.setCookies);
}
