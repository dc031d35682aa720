import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import type { Actor } from "../../../customers/audit/audit-log.ts";
import type { Database } from "../../../db/database.ts";
import type { Calls } from "../../../db/operations.ts";
import { notFound } from "../../../errors.ts";
import type { Ports } from "../../../ports/ports.ts";
import { type ItemPage, itemPage, type OwnItem } from "../manage/webhook-views.ts";
import { type AlertView, alertRows } from "./alert-views.ts";
import {
  alertOfToken,
  countAlerts,
  isMailedTo,
  selectAlert,
  selectAlertsPage,
} from "./alerts.store.ts";
import type { Alert, AlertFields } from "./alerts.table.ts";
import { type alertChanges, ownAlert, pausedFrom } from "./manage-alerts.ts";
import type { AlertPreview, PreviewSelection } from "./preview.ts";

/** Queries that run on reader threads. */
interface AlertReaders {
  previewAlert(of: PreviewSelection): Promise<AlertPreview>;
}

export type Alerts = ReturnType<typeof createAlerts>;

/** An organization's keyword alerts; another organization's are `not_found`. */
export function createAlerts(
  db: Database,
  writer: Calls<typeof alertChanges>,
  readers: AlertReaders,
  { clock, random }: Pick<Ports, "clock" | "random">,
) {
  async function get(own: OwnItem): Promise<AlertView> {
    const alert = await ownAlert(db, own);
    const nowMs = clock.now();
    return toView(alert, nowMs, await pausedFrom(db, own.organizationId, nowMs));
  }

  return {
    get,

    /** Any organization's alert, for the operator. @throws AppError `not_found` */
    async ofAnybody(id: number): Promise<{ organizationId: number; alert: AlertView }> {
      const found = selectAlert(db, { id });
      if (found === undefined) throw notFound("alert", id);
      const { organizationId } = found;
      return { organizationId, alert: await get({ organizationId, id }) };
    },

    count: (organizationId: number): number => countAlerts(db, { organizationId }),

    async list(organizationId: number, after: number, limit: number): Promise<ItemPage<AlertView>> {
      const rows = await selectAlertsPage(db, { organizationId, after, limit: limit + 1 });
      const nowMs = clock.now();
      const from = await pausedFrom(db, organizationId, nowMs);
      return itemPage(rows, limit, (alert) => toView(alert, nowMs, from));
    },

    async create(
      organizationId: number,
      plan: Plan,
      fields: AlertFields,
      by: Actor,
    ): Promise<AlertView> {
      const id = await writer.addAlert({ organizationId, plan, fields, by });
      return get({ organizationId, id });
    },

    async change(own: OwnItem, change: Partial<AlertFields>, by: Actor): Promise<AlertView> {
      await writer.changeAlert({ ...own, change, by });
      return get(own);
    },

    remove: (own: OwnItem, by: Actor): Promise<void> => writer.removeAlert({ ...own, by }),

    /** Whether a member gets the alert's matches by mail. */
    isMailed: (alertId: number, memberId: number): boolean => isMailedTo(db, { alertId, memberId }),

    /** Starts or ends mails of an alert to a member. */
    async setMailed(own: OwnItem, memberId: number, isMailed: boolean): Promise<void> {
      const token = isMailed ? Buffer.from(random.bytes(24)).toString("base64url") : null;
      await writer.setAlertMail({ ...own, memberId, token });
    },

    /** Name of the alert whose mails a link ends; null if they are ended. */
    mailedAlert: (token: string): string | null => alertOfToken(db, { token }),
    endMails: (token: string): Promise<boolean> => writer.endAlertMails({ token }),

    /** Number of matching posts in recent days, and the newest of them. */
    async preview(own: OwnItem): Promise<AlertPreview> {
      const { q, channelId, category, territory, isAd } = await ownAlert(db, own);
      const criteria = { q, channelId, category, territory, isAd };
      return readers.previewAlert({ ...criteria, nowMs: clock.now() });
    },
  };
}

function toView(alert: Alert, nowMs: number, pausedFrom: number): AlertView {
  return alertRows.row({ ...alert, isActive: alert.id < pausedFrom, nowMs });
}
