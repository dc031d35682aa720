/** @jsxImportSource hono/jsx */
import { shownNumber } from "../../look/shown.tsx";
import type { SiteContext } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { asset } from "../../visit/site-path.ts";
import { consolePage } from "./console.tsx";

/** `/staff/`: how things stand, with links to the pages that tell more. */
export const summaryPage: SitePage = {
  path: "/staff/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const counts = await countsOf(context);
    const cards = [
      [words.organizations, counts.organizations, "/staff/organizations/"],
      [words.people, counts.people, "/staff/people/"],
      [words.webhooksDisabled, counts.webhooksDisabled, "/staff/webhooks/?state=disabled"],
      [words.jobsFailed, counts.jobsFailed, "/staff/jobs/"],
      [words.errors, counts.errors, "/staff/errors/"],
      [words.mailsQueued, counts.mailsQueued, null],
    ] as const;
    return consolePage(
      visit,
      words.summary,
      <ul class="cards">
        {cards.map(([label, count, path]) => (
          <li>
            <strong>{shownNumber(visit, count)}</strong>
            {path === null ? label : <a href={asset(visit, path)}>{label}</a>}
          </li>
        ))}
      </ul>,
    );
  },
};

async function countsOf({ accounts, people, webhooks, jobs, mails, recentErrors }: SiteContext) {
  const disabled = (await webhooks.webhooks(null)).filter((one) => one.disabledReason !== "");
  const failed = (await jobs.list()).filter(({ failure }) => failure !== null);
  return {
    organizations: (await accounts.organizations()).length,
    people: (await people.people()).length,
    webhooksDisabled: disabled.length,
    jobsFailed: failed.length,
    errors: recentErrors().length,
    mailsQueued: await mails.queued(),
  };
}
