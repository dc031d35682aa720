import { Command } from "commander";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import type { StaffWebhooks } from "../../../push/webhooks/manage/staff-webhooks.ts";
import type { DeliveryView } from "../../../push/webhooks/manage/webhook-views.ts";
import type { Webhook } from "../../../push/webhooks/manage/webhooks.table.ts";
import { formatOptionalInstant } from "../../../values/moscow-time.ts";
import { type AsJson, jsonOption } from "../arguments.ts";
import type { CommandContext } from "../command-context.ts";
import { ORGANIZATION, organizationNamed, WEBHOOK, webhookNamed } from "../named.ts";
import { type Printable, printList } from "../print.ts";
import { printResult, withDomains } from "../with-domains.ts";

/** Deliveries that the command lists; the API pages through all of them. */
const DELIVERIES_SHOWN = 100;

/** `kanalog webhook`: customers' webhooks, as staff manage them. */
export function webhookCommand(context: CommandContext): Command {
  return new Command("webhook")
    .description("customers' webhooks, as staff manage them")
    .addCommand(listCommand(context))
    .addCommand(disableCommand(context))
    .addCommand(enableCommand(context))
    .addCommand(deliveriesCommand(context));
}

function listCommand(context: CommandContext): Command {
  return new Command("list")
    .description("list the webhooks of one organization, or of all")
    .argument("[organization]", ORGANIZATION)
    .addOption(jsonOption())
    .action((named: string | undefined, options: AsJson) =>
      printResult(context, options, async ({ accounts, webhooks }) => {
        const organization =
          named === undefined ? null : (await organizationNamed(accounts, named)).id;
        const rows = await webhooks.webhooks(organization);
        return Promise.all(rows.map((row) => describe(row, webhooks)));
      }),
    );
}

function disableCommand(context: CommandContext): Command {
  return new Command("disable")
    .description("disable a webhook, so that only `webhook enable` enables it again")
    .argument("<webhook>", WEBHOOK)
    .option("--reason <reason>", "why, for staff only", "")
    .addOption(jsonOption())
    .action((named: string, { reason, json }: { reason: string } & AsJson) =>
      printResult(context, { json }, async ({ webhooks }) => {
        const id = await webhookNamed(webhooks, named);
        return describe(await webhooks.disable(id, reason, COMMAND_LINE), webhooks);
      }),
    );
}

function enableCommand(context: CommandContext): Command {
  return new Command("enable")
    .description(
      "enable a webhook, for whatever reason it was disabled; posts are sent from now on",
    )
    .argument("<webhook>", WEBHOOK)
    .addOption(jsonOption())
    .action((named: string, options: AsJson) =>
      printResult(context, options, async ({ webhooks }) => {
        const id = await webhookNamed(webhooks, named);
        return describe(await webhooks.enable(id, COMMAND_LINE), webhooks);
      }),
    );
}

function deliveriesCommand(context: CommandContext): Command {
  return new Command("deliveries")
    .description(`list the latest ${DELIVERIES_SHOWN} deliveries of a webhook, newest first`)
    .argument("<webhook>", WEBHOOK)
    .addOption(jsonOption())
    .action((named: string, { json }: AsJson) =>
      withDomains(context, async ({ webhooks }) => {
        const id = await webhookNamed(webhooks, named);
        const deliveries = await webhooks.deliveries(id, DELIVERIES_SHOWN);
        if (json) context.output.out(JSON.stringify({ results: deliveries }));
        else printList(context.output, deliveries.map(describeDelivery), false);
      }),
    );
}

async function describe(webhook: Webhook, webhooks: StaffWebhooks): Promise<Printable> {
  return {
    id: webhook.id,
    organization: webhook.organizationId,
    url: webhook.url,
    channels: (await webhooks.channels(webhook.id)).length,
    is_active: webhook.disabledReason === "",
    disabled_reason: webhook.disabledReason,
    staff_note: webhook.staffNote,
    failing_since: formatOptionalInstant(webhook.failingSince),
    last_success_at: formatOptionalInstant(webhook.lastSuccessAt),
    last_error: webhook.lastError,
    created_at: formatOptionalInstant(webhook.createdAt),
  };
}

function describeDelivery(delivery: DeliveryView): Printable {
  const last = delivery.attempts.at(-1);
  return {
    delivery: delivery.delivery,
    event: delivery.event,
    created_at: delivery.created_at,
    posts: delivery.posts.length,
    state: delivery.state,
    attempts: delivery.attempts.length,
    last_status: last?.status ?? null,
    last_error: last?.error ?? "",
    next_attempt_at: delivery.next_attempt_at,
  };
}
