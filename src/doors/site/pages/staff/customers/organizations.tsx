/** @jsxImportSource hono/jsx */

import { passwordAddress } from "../../../../../customers/people/passwords.ts";
import { organizations } from "../../../../../verbs/operator/organizations.ts";
import type { Row } from "../../../../../verbs/operator/resource.ts";
import { verbAction } from "../../../forms/verb-action.ts";
import { DataTable } from "../../../look/data-table.tsx";
import { LastDayBefore, Snippet, shownNumber } from "../../../look/shown.tsx";
import { NamedLink } from "../../../look/user-text.tsx";
import { VerbForm } from "../../../look/verb-form.tsx";
import { invitationMail } from "../../../mail-texts.ts";
import type { SitePage } from "../../../site-pages.ts";
import { useSite, useVisit } from "../../../visit/use-visit.ts";
import { asset, page, redirect, type View } from "../../../visit/view.ts";
import { consolePage, pageAfter, SearchForm } from "../console.tsx";
import { limitStatusOf } from "./seen.tsx";

/** `/staff/organizations/`: lists them, and creates a new one. */
export const organizationsPage: SitePage = {
  path: "/staff/organizations/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const q = visit.query.get("q") ?? "";
    const { shown, pager } = await pageAfter((part) =>
      context.operator.findOrganizations({ ...part, q }),
    );
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
        <section>
          <h2 id="new">{visit.words.firstSteps.customerForm.title}</h2>
          <VerbForm
            resource={organizations}
            verb="create"
            submit={words.create}
            words={visit.words.firstSteps.customerForm}
            once
          />
        </section>
      </>,
    );
  },
  actions: { create: verbAction(organizations, "create", { shows: madeView }) },
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
  if (mails.canSend) {
    const invitation = { organization: String(name), inviter: visit.signedIn?.person.name ?? "" };
    const email = visit.form.get("owner").trim();
    await mails.queue(invitationMail(visit.baseAddress, email, invitation, token));
  }
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
