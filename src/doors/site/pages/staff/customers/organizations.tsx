/** @jsxImportSource hono/jsx */

import {
  optionalName,
  requiredEmail,
  requiredName,
} from "../../../../../customers/accounts/accounts.ts";
import { PLAN_CODES } from "../../../../../customers/accounts/plan.ts";
import { passwordAddress } from "../../../../../customers/people/passwords.ts";
import { readFields, requiredChoice } from "../../../forms/faults.ts";
import { DataTable } from "../../../look/data-table.tsx";
import { CheckField, Form, SelectField, TextField } from "../../../look/form.tsx";
import { LastDayBefore, Snippet, shownNumber } from "../../../look/shown.tsx";
import { NamedLink } from "../../../look/user-text.tsx";
import { invitationMail } from "../../../mail-texts.ts";
import type { SitePage } from "../../../site-pages.ts";
import { useSite, useVisit } from "../../../visit/use-visit.ts";
import { asset, page, redirect, type View } from "../../../visit/view.ts";
import { currentActor } from "../../../visit/viewer.ts";
import { consolePage, paged, SearchForm, searched } from "../console.tsx";
import { limitStatusOf } from "./seen.tsx";

/** @jsxImportSource hono/jsx */

const ACTION = "create";

/** Organization, owner, plan and key in one form. */
function NewCustomerForm() {
  const visit = useVisit();
  const words = visit.words.firstSteps.customerForm;
  const { planNames } = visit.words;
  return (
    <section>
      <h2 id="new">{words.title}</h2>
      <Form action={ACTION} once submit={visit.words.staffPages.create} words={words}>
        <TextField name="name" label={words.organization} />
        <SelectField name="plan" label={visit.words.plan} options={PLAN_CODES} names={planNames} />
        <TextField name="email" type="email" required={false} />
        <TextField name="owner" required={false} />
        <CheckField name="write" />
      </Form>
    </section>
  );
}

/**
 * Creates the organization, and an owner with a key if an address is given; the key is only shown this
 * once.
 */
async function createCustomer(): Promise<View> {
  const visit = useVisit();
  const context = useSite();
  const { form } = visit;
  const { name, plan, email, owner } = await readFields({
    name: () => requiredName(form.get("name")),
    plan: () => requiredChoice(PLAN_CODES, form.get("plan")),
    email: () => (form.get("email").trim() === "" ? null : requiredEmail(form.get("email"))),
    owner: () => optionalName(form.get("owner")),
  });
  if (email === null) {
    const by = currentActor();
    const { id } = await context.accounts.createOrganization({ name, plan }, by);
    return redirect(`/staff/organizations/${id}/?done=created`);
  }
  // The person is created before the member, who could not be invited again if this failed.
  await context.people.ensurePerson({ email, name: owner });
  const hasPassword = await context.people.removeUnverifiedPassword(email);
  const access = form.isChecked("write") ? "read_write" : "read_only";
  const wanted = { organization: name, plan, email, name: owner };
  const key = { name: "First key", access } as const;
  const { made, token } = await context.keys.createCustomer({ ...wanted, key }, currentActor());
  const link = hasPassword ? null : await context.people.passwordLink({ email, isTrusted: true });
  if (context.mails.canSend) {
    const inviter = visit.signedIn?.person.name ?? "";
    const invitation = { organization: name, inviter };
    await context.mails.queue(invitationMail(visit.baseAddress, email, invitation, link));
  }
  return madeView({
    id: made.organization.id,
    token,
    link,
    isMailed: context.mails.canSend,
  });
}

/** Secrets are only shown in this answer: a redirect would leave them in the browser's history. */
function madeView({
  id,
  token,
  link,
  isMailed,
}: {
  id: number;
  token: string;
  link: string | null;
  isMailed: boolean;
}): View {
  const visit = useVisit();
  const words = visit.words.firstSteps.customerForm;
  return page(
    words.made,
    <>
      <h2>{words.key}</h2>
      <p>{words.keyText}</p>
      <Snippet text={token} label={words.key} />
      <p>{words.callText}</p>
      <Snippet
        text={`curl -H "Authorization: Bearer ${token}" "${visit.ownAddress}/v1/me/"`}
        label="curl"
      />
      {isMailed && <p>{words.mailed}</p>}
      {!isMailed && link === null && <p>{words.signIn}</p>}
      {!isMailed && link !== null && (
        <>
          <h2>{words.link}</h2>
          <p>{words.linkText}</p>
          <Snippet text={passwordAddress(visit.ownAddress, link)} label={words.link} />
        </>
      )}
      <p class="row">
        <a href={asset(`/staff/organizations/${id}/`)}>{words.open}</a>
        <a href={asset("/staff/start/")}>{visit.words.firstSteps.title}</a>
      </p>
    </>,
  );
}

/** `/staff/organizations/`: lists them, and creates a new one. */
export const organizationsPage: SitePage = {
  path: "/staff/organizations/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const found = searched(await context.accounts.organizations(), ({ id, name }) =>
      [id, name].join(" "),
    );
    const { shown, pager } = paged(found);
    const rows = await Promise.all(
      shown.map(async (organization) => ({
        ...organization,
        ...(await limitStatusOf(organization, context, visit.nowMs)),
      })),
    );
    return consolePage(
      words.organizations,
      <>
        <SearchForm />
        <DataTable
          label={words.organizations}
          empty={words.none}
          rows={rows}
          columns={[
            [words.number, ({ id }) => id, "number"],
            [
              visit.words.name,
              ({ id, name }) => <NamedLink to={`/staff/organizations/${id}/`}>{name}</NamedLink>,
              "row",
            ],
            [visit.words.plan, ({ plan }) => visit.words.planNames[plan.code]],
            [visit.words.planEnds, ({ planEndsAt }) => <LastDayBefore at={planEndsAt} />],
            [
              visit.words.used,
              ({ used, plan }) => `${shownNumber(used)} / ${shownNumber(plan.requestsPerPeriod)}`,
              "number",
            ],
            [
              words.state,
              ({ archivedAt }) => (archivedAt === null ? words.active : words.archived),
            ],
          ]}
        />
        {pager}
        <NewCustomerForm />
      </>,
    );
  },
  actions: { create: createCustomer },
};
