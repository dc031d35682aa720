import type { ChannelReference } from "../../../../catalog/channels/channel-reference.ts";
import { fieldError } from "../../../../errors.ts";
import type { WebhookView } from "../../../../push/webhooks/manage/webhook-views.ts";
import { type Read, readInteger } from "../../../../values/fields.ts";
import { message, verbatim } from "../../../../values/messages/messages.ts";
import { takesForm } from "../../../../values/takes.ts";
import { readUrl } from "../../../../verbs/methods/webhooks.ts";
import { cutText } from "../../forms/faults.ts";
import { ownItem, ownPlan } from "../../visit/viewer.ts";
import { useSite, useVisit } from "../../visit/visit.ts";

/** Room for as many channels as a plan may include, by number or by name. */
export const WEBHOOK_FORM = takesForm(256 * 1024);

/** Most channels in a list, so that one from a larger plan can still be changed. */
const LISTED_MAX = 10_000;
/** Most names in one message; anything longer than a name is truncated. */
const NAMED_MAX = 20;
const NAME_BYTES_MAX = 70;

/** Address and channels as the API's methods take them. @throws AppError `invalid` with all faults at once */
export async function typedWebhook(): Promise<{ url: string; channels: number[] }> {
  const url = useVisit().form.get("url").trim();
  const channels = await readChannels();
  if ("value" in channels) return { url, channels: channels.value };
  const read = readUrl(url);
  const faults =
    "fault" in read ? [read.fault] : await useSite().services.webhooks.addressFaults(read.value);
  throw fieldError({ ...(faults.length > 0 && { url: faults }), channels: [channels.fault] });
}

/** Numbers, @handles or links, separated by spaces or commas, without duplicates. */
async function readChannels(): Promise<Read<number[]>> {
  const visit = useVisit();
  const { channels } = useSite().services;
  const words = visit.words.webhookPages;
  const typed = visit.form.get("channels").split(/[\s,;]+/);
  const texts = new Set(typed.filter((text) => text !== ""));
  if (texts.size === 0) return { fault: message("required") };
  const { webhookChannels } = await ownPlan();
  // Limited, because each name is looked up.
  const names = [...texts].filter((text) => !/^\d+$/.test(text)).length;
  if (names > webhookChannels || texts.size > Math.max(webhookChannels, LISTED_MAX)) {
    return { fault: verbatim(words.tooManyChannels(webhookChannels)) };
  }
  const named = [...texts].map((text) => {
    const number = readInteger({ minimum: 0 })(text);
    // Whether the number belongs to a public channel is checked when the webhook is written.
    if ("value" in number) return { text, id: number.value };
    return { text, reference: channels.parseLinkOrHandle(text) };
  });
  const handles = named.flatMap(({ reference }) =>
    reference?.kind === "handle" ? [reference.handle] : [],
  );
  const found = handles.length === 0 ? new Map() : await channels.findIdsByHandle(handles);
  const idOf = (reference: ChannelReference): number | undefined =>
    reference.kind === "handle"
      ? found.get(reference.handle)
      : (channels.findId(reference) ?? undefined);
  const ids = new Set<number>();
  const unreadable: string[] = [];
  const unknown: string[] = [];
  for (const { text, reference, id: number } of named) {
    const id = reference == null ? number : idOf(reference);
    if (id !== undefined) ids.add(id);
    else (reference === null ? unreadable : unknown).push(text);
  }
  const faults = [
    ...(unreadable.length > 0 ? [words.badChannel(listed(unreadable))] : []),
    ...(unknown.length > 0 ? [words.noChannel(listed(unknown))] : []),
  ];
  if (faults.length > 0) return { fault: verbatim(faults.join(" ")) };
  return { value: [...ids] };
}

function listed(texts: readonly string[]): string {
  const shown = texts.slice(0, NAMED_MAX).map((text) => cutText(text, NAME_BYTES_MAX));
  return shown.join(", ") + (texts.length > NAMED_MAX ? "…" : "");
}

/** The webhook that the address names. @throws AppError `not_found` */
export function webhookOf(): Promise<WebhookView> {
  return Promise.resolve(useSite().services.webhooks.get(ownItem()));
}
