/** @jsxImportSource hono/jsx */
import { passwordAddress } from "../../../../../customers/people/passwords.ts";
import { parseInstant } from "../../../../../values/moscow-time.ts";
import { organizations } from "../../../../../verbs/operator/customers/organizations.ts";
import type { Row } from "../../../../../verbs/operator/resource.ts";
import { verbAction } from "../../../forms/verb-action.ts";
import { ResourceList } from "../../../look/resource-list.tsx";
import { Instant, LastDayBefore, Snippet, shownNumber } from "../../../look/shown.tsx";
import { NamedLink } from "../../../look/user-text.tsx";
import { VerbForm } from "../../../look/verb-form.tsx";
import { invitationMail } from "../../../mail-texts.ts";
import { planOptions } from "../../../public/plan-cards.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { asset, page, redirect, useSite, useVisit, type View } from "../../../visit/visit.ts";
import { consolePage } from "../console.tsx";

export const organizationsPage: SitePage = {
  path: "/staff/organizations/",
  access: "staff",
  async show(visit, { accounts }) {
    const words = visit.words.staffPages;
    return consolePage(
      words.organizations,
      <>
        <ResourceList
          resource={organizations}
          label={words.organizations}
          columns={["id", "name", "plan", "plan_ends_at", "used", "archived_at"]}
          looks={{ name: "row" }}
          cells={{
            ...organizationCells,
            name: ({ id, name }) => (
              <NamedLink to={`/staff/organizations/${id}/`}>{String(name)}</NamedLink>
            ),
          }}
        />
        <section>
          <h2 id="new">{visit.words.firstSteps.customerForm.title}</h2>
          <VerbForm
            resource={organizations}
            verb="create"
            options={{ plan: planOptions(await accounts.plans(), visit.language) }}
            submit={visit.words.create}
            words={visit.words.firstSteps.customerForm}
            once
          />
        </section>
      </>,
    );
  },
  actions: { create: verbAction(organizations, "create", { shows: madeView }) },
};

const instantOf = (text: unknown) => (text === null ? null : parseInstant(String(text)));

/** Cells that an organization's page has too. */
export const organizationCells = {
  plan_ends_at: ({ plan_ends_at: ends }: Row) => {
    const { withoutEnd } = useVisit().words.staffPages;
    return <LastDayBefore at={instantOf(ends)} none={withoutEnd} />;
  },
  used: ({ used, quota }: Row) => `${shownNumber(Number(used))} / ${shownNumber(Number(quota))}`,
  archived_at: ({ archived_at: at }: Row) => {
    const { active, archived } = useVisit().words.staffPages;
    if (at === null) return active;
    return (
      <>
        {archived}, <Instant at={instantOf(at)} />
      </>
    );
  },
};

/**
 * The owner gets the link by mail if a mail server is configured. Secrets are only shown in this answer: a
 * redirect would leave them in the browser's history.
 */
async function madeView({ id, name, key, link }: Row): Promise<View> {
  const visit = useVisit();
  const { mails } = useSite();
  const words = visit.words.firstSteps.customerForm;
  if (key === undefined) return redirect(`/staff/organizations/${id}/?done=organization.create`);
  const token = link as string | null;
  if (mails.canSend) await mailInvitation(visit.form.get("owner").trim(), String(name), token);
  return page(
    words.made,
    <>
      <h2>{words.key}</h2>
      <p>{words.keyText}</p>
      <Snippet text={String(key)} label={words.key} />
      <p>{words.callText}</p>
      <Snippet
        text={`curl -H "Authorization: Bearer ${key}" "${visit.ownAddress}/v1/me/"`}
        label="curl"
      />
      {mails.canSend && <p>{words.mailed}</p>}
      {!mails.canSend && token === null && <p>{words.signIn}</p>}
      {!mails.canSend && token !== null && (
        <>
          <h2>{words.link}</h2>
          <p>{words.linkText}</p>
          <Snippet text={passwordAddress(visit.ownAddress, token)} label={words.link} />
        </>
      )}
      <p class="row">
        <a href={asset(`/staff/organizations/${id}/`)}>{words.open}</a>
        <a href={asset("/staff/start/")}>{visit.words.firstSteps.title}</a>
      </p>
    </>,
  );
}

/** Invites somebody to an organization. @param token null for somebody who has a password */
export async function mailInvitation(
  email: string,
  organization: string,
  token: string | null,
): Promise<void> {
  const visit = useVisit();
  const invitation = { organization, inviter: visit.signedIn?.person.name ?? "" };
  await useSite().mails.queue(invitationMail(visit, email, invitation, token));
}
