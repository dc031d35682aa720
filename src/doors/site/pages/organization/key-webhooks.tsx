/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { HtmlEscapedString } from "hono/utils/html";
import { type AppError, toAppError } from "../../../../errors.ts";
import { outcomeOf } from "../../../../push/webhooks/delivery/outcome.ts";
import type { Webhook } from "../../../../push/webhooks/manage/webhooks.table.ts";
import { pageError } from "../../forms/faults.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { sentNumber } from "../../look/row-actions.tsx";
import { Instant, told } from "../../look/shown.tsx";
import { asset } from "../../visit/site-path.ts";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { redirect, type View } from "../../visit/view.ts";
import { currentActor, isManager, ownMembership, viewerOf } from "../../visit/viewer.ts";
import { WebhookState } from "../webhooks/webhook-state.tsx";

/** The organization's webhooks, with a button for each disabled one. */
export async function WebhookList(): Promise<HtmlEscapedString> {
  const visit = useVisit();
  const words = visit.words.organizationPages;
  const webhooks = await useSite().webhooks.webhooks(ownMembership().organization.id);
  const heads = [words.address, words.state, words.lastSuccess, words.lastError, words.actions];
  return (
    <>
      <p>
        {words.webhooksIntro} <a href={asset("/account/webhooks/")}>{words.webhookDetails}</a>
      </p>
      {webhooks.length === 0 ? (
        <p>{words.noWebhooks}</p>
      ) : (
        <DataTable label={visit.words.webhooks} columns={heads}>
          {webhooks.map((webhook) => (
            <WebhookRow webhook={webhook} />
          ))}
        </DataTable>
      )}
    </>
  );
}

function WebhookRow({ webhook }: { webhook: Webhook }): JSX.Element {
  const words = useVisit().words.organizationPages;
  return (
    <tr>
      <th scope="row" class="long">
        <bdi>{webhook.url}</bdi>
      </th>
      <td>
        <WebhookState reason={webhook.disabledReason} />
      </td>
      <td>
        {webhook.lastSuccessAt === null ? words.never : <Instant at={webhook.lastSuccessAt} />}
      </td>
      <td class="long">
        <bdi>{told(outcomeOf(webhook.lastError)) || words.noError}</bdi>
      </td>
      <td>
        {webhook.disabledReason !== "" && isManager() && (
          <ActionButton
            inRow
            action="enable"
            label={words.enable}
            fields={{ webhook: webhook.id }}
          />
        )}
      </td>
    </tr>
  );
}

/** Enables a webhook, like the API's `is_active`: one that staff disabled can only be enabled by staff. */
export async function enableWebhook(): Promise<View> {
  const visit = useVisit();
  const context = useSite();
  const membership = ownMembership();
  const { organization } = membership;
  const words = visit.words.organizationPages;
  if (!isManager()) throw pageError("manager_required", words.managersOnly);
  const id = sentNumber("webhook");
  const webhooks = await context.webhooks.webhooks(organization.id);
  const webhook = webhooks.find((one) => one.id === id);
  if (webhook === undefined) throw pageError("not_found", words.noSuchWebhook);
  const { plan } = await viewerOf(membership, context.accounts, visit.nowMs);
  const own = { organizationId: organization.id, id };
  const change = { address: undefined, channels: undefined, isActive: true };
  try {
    await context.services.webhooks.change(own, plan, change, currentActor());
  } catch (error) {
    throw withOwnText(error);
  }
  return redirect("/account/keys/?done=enabled");
}

/** The error unchanged, except for a plan without room, which this page explains in its own words. */
function withOwnText(thrown: unknown): AppError {
  const { words } = useVisit();
  const error = toAppError(thrown);
  if (error.code !== "tariff_required") return error;
  return pageError(error.code, words.organizationPages.planHasNoRoom);
}
