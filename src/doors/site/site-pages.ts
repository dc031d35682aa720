import type { Takes } from "../../values/takes.ts";
import { alertPage } from "./pages/alerts/alert.tsx";
import { alertMailsPage } from "./pages/alerts/alert-mails.tsx";
import { alertsPage } from "./pages/alerts/alerts.tsx";
import { channelPage, channelPicturePage } from "./pages/channels/channel.tsx";
import { channelMentionsPage } from "./pages/channels/channel-mentions.tsx";
import { channelsPage } from "./pages/channels/channels.tsx";
import { trendingPage } from "./pages/channels/trending.tsx";
import { comparePage } from "./pages/compare/compare.tsx";
import { authorizePage } from "./pages/oauth/authorize.tsx";
import { connectPage } from "./pages/organization/connect.tsx";
import { connectionTestPage } from "./pages/organization/connection-test.tsx";
import { keyPrefixPage } from "./pages/organization/key-prefix.ts";
import { keysPage } from "./pages/organization/keys.tsx";
import { membersPage } from "./pages/organization/members.tsx";
import { overviewPage } from "./pages/organization/overview.tsx";
import { planPage } from "./pages/organization/plan.tsx";
import { choosePasswordPage, forgottenPasswordPage } from "./pages/person/choose-password.tsx";
import { languagePage, profilePage } from "./pages/person/profile.tsx";
import { setUpPage } from "./pages/person/set-up.tsx";
import { signInPage } from "./pages/person/sign-in.tsx";
import { signUpPage } from "./pages/person/sign-up.tsx";
import { postsPage } from "./pages/posts/posts.tsx";
import { wordPage } from "./pages/posts/word.tsx";
import { staffChannelPage } from "./pages/staff/catalog/channel.tsx";
import { staffChannelsPage } from "./pages/staff/catalog/channels.tsx";
import { staffPostsPage } from "./pages/staff/catalog/posts.tsx";
import { staffOrganizationPage } from "./pages/staff/customers/organization.tsx";
import { organizationsPage } from "./pages/staff/customers/organizations.tsx";
import { peoplePage, personPage } from "./pages/staff/customers/people.tsx";
import { plansPage } from "./pages/staff/customers/plans.tsx";
import { seenPage } from "./pages/staff/customers/seen.tsx";
import { staffWebhookPage, staffWebhooksPage } from "./pages/staff/customers/webhooks.tsx";
import { databasePage } from "./pages/staff/database.tsx";
import { firstStepsPage } from "./pages/staff/first-steps.tsx";
import { importRunPage } from "./pages/staff/import-run.tsx";
import { importsPage } from "./pages/staff/imports.tsx";
import { jobsPage } from "./pages/staff/jobs.tsx";
import { auditPage, errorsPage } from "./pages/staff/logs.tsx";
import { operatorKeysPage } from "./pages/staff/operator-keys.tsx";
import { sourcePage } from "./pages/staff/source.tsx";
import { botSourcePages, sourcesPage } from "./pages/staff/sources.tsx";
import { summaryPage } from "./pages/staff/summary/summary.tsx";
import { deliveryPage } from "./pages/webhooks/delivery.tsx";
import { webhookPage } from "./pages/webhooks/webhook.tsx";
import { webhooksPage } from "./pages/webhooks/webhooks.tsx";
import type { SiteContext } from "./site-context.ts";
import type { View, Visit } from "./visit/visit.ts";

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

/** A page of the site: what it shows, and what its forms do. */
export interface SitePage {
  path: string;
  /**
   * Who may see it: anybody; somebody signed in; a member of the visit's organization; an owner or
   * administrator of it; staff.
   */
  access: "anybody" | "person" | "member" | "manager" | "staff";
  /** What its forms may be, if it has any; by default as large as `takesForm` says. */
  takes?: Takes;
  show(visit: Visit, context: SiteContext): View | Promise<View>;
  /**
   * Handlers by the form's `action`. An AppError that they throw is shown on the page, at its fields, with
   * what was typed.
   */
  actions?: Record<string, (visit: Visit, context: SiteContext) => View | Promise<View>>;
  /**
   * Handlers of forms that a page has for each of several things, by what their `action` begins with: `set-start`
   * is `set` of `start`.
   */
  actionsOf?: Record<string, (of: string) => View | Promise<View>>;
  /** The action that mail programs carry out by the page's address, without our form (RFC 8058). */
  oneClick?: string;
}

export const sitePages: readonly SitePage[] = [
  signInPage,
  signUpPage,
  setUpPage,
  forgottenPasswordPage,
  choosePasswordPage,
  languagePage,
  overviewPage,
  planPage,
  keysPage,
  keyPrefixPage,
  membersPage,
  connectPage,
  connectionTestPage,
  authorizePage,
  profilePage,
  webhooksPage,
  webhookPage,
  deliveryPage,
  alertsPage,
  alertPage,
  alertMailsPage,
  channelsPage,
  channelPage,
  channelPicturePage,
  postsPage,
  wordPage,
  channelMentionsPage,
  comparePage,
  trendingPage,
  ...staffPages,
];
