/** @jsxImportSource hono/jsx */
import { requiredEmail, requiredName } from "../../../../customers/accounts/accounts.ts";
import type { Actor } from "../../../../customers/audit/audit-log.ts";
import { FIRST_CUSTOMER } from "../../../../customers/keys/key-changes.ts";
import { requirePassword } from "../../../../customers/people/password-rules.ts";
import { readFields } from "../../forms/faults.ts";
import { EmailField, NewPasswordField } from "../../look/action-button.tsx";
import { Form, TextField } from "../../look/form.tsx";
import type { SiteContext } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { asset, page, redirect, useSite, useVisit, type View } from "../../visit/visit.ts";
import { linkToken } from "./choose-password.tsx";
import { newSession } from "./sign-in.tsx";

/** `/account/set-up/?token=…`: creates an empty appliance's first person. */
export const setUpPage: SitePage = {
  path: "/account/set-up/",
  access: "anybody",
  async show(visit, { setUp }) {
    const { words } = visit;
    if (!(await setUp.isToken(linkToken()))) return usedPage();
    return page(
      words.setUp,
      <Form action="set-up" submit={words.signUpPage.make} words={words}>
        <p>{words.setUpText}</p>
        <input type="hidden" name="token" value={linkToken()} />
        <TextField name="name" autocomplete="name" />
        <EmailField />
        <NewPasswordField label={words.password} />
        <TextField name="organization" label={words.organizationName} />
      </Form>,
    );
  },
  actions: { "set-up": setUpFirst },
};

/** Says that the address was used or has expired, and the same for one that was never valid. */
function usedPage(): View {
  const { words } = useVisit();
  return page(
    words.setUp,
    <>
      <p role="alert">
        {words.setUpUsed} <a href={asset("/account/sign-in/")}>{words.signIn}</a>
      </p>
      <p>
        {words.setUpByCommand} <code>kanalog staff add ada@example.com</code>
      </p>
    </>,
    { status: 404 },
  );
}

async function setUpFirst(): Promise<View> {
  const { form, network } = useVisit();
  const { accounts, people, setUp } = useSite();
  if (!(await setUp.isToken(linkToken()))) return usedPage();
  // All fields are checked before the person is created, which only works once.
  const fields = await readFields({
    name: () => requiredName(form.get("name")),
    email: () => requiredEmail(form.get("email")),
    password: () => requirePassword(form.get("password"), form.get("email")),
    organization: () => requiredName(form.get("organization")),
  });
  const { email, name, password, organization } = fields;
  const person = await people.setUpPerson({ email, name, password, network });
  await givePlace({ email, name, organization }, accounts, { person: person.email, keyId: null });
  const session = await newSession(email, password);
  return session === null
    ? redirect("/account/sign-in/?done=set-up")
    : redirect("/staff/start/", session.setCookies);
}

/**
 * Gives the first person the organization that the first start created, with the printed key; a new one if
 * there is none, and nothing if they are already a member.
 */
async function givePlace(
  { email, name, organization }: { email: string; name: string; organization: string },
  accounts: SiteContext["accounts"],
  by: Actor,
): Promise<void> {
  if ((await accounts.membershipsOf(email, true)).length > 0) return;
  const [first] = await accounts.membershipsOf(FIRST_CUSTOMER.email, true);
  if (first !== undefined) {
    await accounts.handOver(first.member.id, { email, name, organization }, by);
    return;
  }
  const { id } = await accounts.createOrganization({ name: organization, plan: "profi" }, by);
  await accounts.addMember({ organizationId: id, email, name, role: "owner" }, by);
}
