import type { SitePage } from "../../site-pages.ts";
import { auditPage } from "./audit.tsx";
import { botSourcePages } from "./bot-source.tsx";
import { staffChannelPage } from "./catalog/channel.tsx";
import { staffChannelsPage } from "./catalog/channels.tsx";
import { staffPostsPage } from "./catalog/posts.tsx";
import { staffOrganizationPage } from "./customers/organization.tsx";
import { organizationsPage } from "./customers/organizations.tsx";
import { peoplePage } from "./customers/people.tsx";
import { personPage } from "./customers/person.tsx";
import { plansPage } from "./customers/plans.tsx";
import { seenPage } from "./customers/seen.tsx";
import { staffWebhookPage } from "./customers/webhook.tsx";
import { staffWebhooksPage } from "./customers/webhooks.tsx";
import { databasePage } from "./database.tsx";
import { errorsPage } from "./errors.tsx";
import { firstStepsPage } from "./first-steps/first-steps.tsx";
import { importRunPage } from "./import-run.tsx";
import { importsPage } from "./imports.tsx";
import { jobsPage } from "./jobs.tsx";
import { operatorKeysPage } from "./operator-keys.tsx";
import { sourcePage } from "./source.tsx";
import { sourcesPage } from "./sources.tsx";
import { summaryPage } from "./summary/summary.tsx";

/** Pages of staff's console. */
export const staffPages: readonly SitePage[] = [
  summaryPage,
  firstStepsPage,
  organizationsPage,
  staffOrganizationPage,
  seenPage,
  plansPage,
  operatorKeysPage,
  peoplePage,
  personPage,
  staffWebhooksPage,
  staffWebhookPage,
  staffChannelsPage,
  staffChannelPage,
  staffPostsPage,
  sourcesPage,
  ...botSourcePages,
  sourcePage,
  jobsPage,
  databasePage,
  errorsPage,
  auditPage,
  importsPage,
  importRunPage,
];
