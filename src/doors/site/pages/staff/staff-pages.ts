import type { SitePage } from "../../site-pages.ts";
import { auditPage } from "./audit.tsx";
import { databasePage } from "./database.tsx";
import { errorsPage } from "./errors.tsx";
import { jobsPage } from "./jobs.tsx";
import { staffOrganizationPage } from "./organization.tsx";
import { organizationsPage } from "./organizations.tsx";
import { peoplePage } from "./people.tsx";
import { personPage } from "./person.tsx";
import { summaryPage } from "./summary.tsx";
import { staffWebhookPage } from "./webhook.tsx";
import { staffWebhooksPage } from "./webhooks.tsx";

/** The pages of staff's console. */
export const staffPages: readonly SitePage[] = [
  summaryPage,
  organizationsPage,
  staffOrganizationPage,
  peoplePage,
  personPage,
  staffWebhooksPage,
  staffWebhookPage,
  jobsPage,
  databasePage,
  errorsPage,
  auditPage,
];
