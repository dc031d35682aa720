import { channelPage } from "./pages/channel.tsx";
import { channelsPage } from "./pages/channels.tsx";
import { choosePasswordPage } from "./pages/choose-password.tsx";
import { connectPage } from "./pages/connect.tsx";
import { forgottenPasswordPage } from "./pages/forgotten-password.tsx";
import { importRunPage } from "./pages/import-run.tsx";
import { importsPage } from "./pages/imports.tsx";
import { keysPage } from "./pages/keys.tsx";
import { languagePage } from "./pages/language.ts";
import { membersPage } from "./pages/members.tsx";
import { overviewPage } from "./pages/overview.tsx";
import { profilePage } from "./pages/profile.tsx";
import { setUpPage } from "./pages/set-up.tsx";
import { signInPage } from "./pages/sign-in.tsx";
import { staffPages } from "./pages/staff/staff-pages.ts";
import { webhookPage } from "./pages/webhook.tsx";
import { webhooksPage } from "./pages/webhooks.tsx";
import type { SiteContext } from "./site-context.ts";
import type { View } from "./view.ts";
import type { Visit } from "./visit.ts";

/** A page of the site: what it shows, and what its forms do. */
export interface SitePage {
  path: string;
  /**
   * Who may see it: anybody; who is signed in; a member of an organization, the one of the visit;
   * an owner or administrator of it; staff.
   */
  access: "anybody" | "person" | "member" | "manager" | "staff";
  /** How large its forms may be, where they hold more than a form usually does. */
  formBytesMax?: number;
  /** Whether a form of it brings a file. */
  takesFile?: boolean;
  show(visit: Visit, context: SiteContext): View | Promise<View>;
  /**
   * By the form's `action`. What they throw as an AppError is shown on the page, at its fields,
   * with what was typed.
   */
  actions?: Record<string, (visit: Visit, context: SiteContext) => View | Promise<View>>;
}

export const sitePages: readonly SitePage[] = [
  signInPage,
  setUpPage,
  forgottenPasswordPage,
  choosePasswordPage,
  languagePage,
  overviewPage,
  keysPage,
  membersPage,
  connectPage,
  profilePage,
  webhooksPage,
  webhookPage,
  channelsPage,
  channelPage,
  ...staffPages,
  importsPage,
  importRunPage,
];
