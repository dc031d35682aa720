/** @jsxImportSource hono/jsx */
import { type AppError, toAppError } from "../../../../errors.ts";
import { outcomeOf } from "../../../../push/webhooks/delivery/outcome.ts";
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
export async function WebhookList() {
  const visit = useVisit();
  const words = visit.words.organizationPages;
  const webhooks = await useSite().webhooks.webhooks(ownMembership().organization.id);
  return (
    <>
      <p>
        {words.webhooksIntro} <a href={asset("/account/webhooks/")}>{words.webhookDetails}</a>
      </p>
      <DataTable
        label={visit.words.webhooks}
        empty={words.noWebhooks}
        rows={webhooks}
        columns={[
          [words.address, ({ url }) => <bdi>{url}</bdi>, "row long"],
          [words.state, ({ disabledReason }) => <WebhookState reason={disabledReason} />],
          [words.lastSuccess, ({ lastSuccessAt: at }) => <Instant at={at} none={words.never} />],
          [
            words.lastError,
            ({ lastError }) => <bdi>{told(outcomeOf(lastError)) || words.noError}</bdi>,
            "long",
          ],
          [
            words.actions,
            ({ id, disabledReason }) =>
              disabledReason !== "" &&
              isManager() && (
                <ActionButton inRow action="enable" label={words.enable} fields={{ webhook: id }} />
              ),
          ],
        ]}
      />
    </>
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
