import {
  type ChannelReference,
  parsePathReference,
} from "../catalog/channels/channel-reference.ts";
import { COMPARED_MAX, comparisonSchema } from "../catalog/comparison/comparison.ts";
import { fieldError } from "../errors.ts";
import { listJson } from "../values/json-text.ts";
import { message } from "../values/messages/messages.ts";
import { dayOf } from "../values/moscow-time.ts";
import { shortened } from "../values/shortened.ts";
import { STRANGERS_WORDS } from "./channels.ts";
import { fieldsOf } from "./fields.ts";
import { apiMethod } from "./method.ts";
import { listOf } from "./paging.ts";
import { required, textList } from "./parameters.ts";
import { PERIOD_DAYS_MAX, periodDays, readPeriod, requireHistory } from "./period.ts";
import type { Services } from "./services.ts";

export const channelsCompareList = apiMethod({
  operationId: "msgr_channels_compare_list",
  path: "/v1/msgr/channels/compare/",
  tag: "Channels",
  title: "Compare channels",
  description:
    `Subscribers, posts and views of up to ${COMPARED_MAX} channels over one period of at most ` +
    `${PERIOD_DAYS_MAX} days, in the order given. The Test plan covers the last 30 days, and ` +
    "`best_post` is null there.",
  tool:
    "Compares channels over a period in one call: who grew, posts, is read more. A channel is about " +
    "1,600 characters, with `fields` channel,growth,growth_percent,views_mean,err about 90. " +
    STRANGERS_WORDS,
  units: 1,
  parameters: {
    channels: required(
      textList({
        description: `Up to ${COMPARED_MAX} numbers or handles, separated by commas.`,
        example: "1,3",
        itemsMax: COMPARED_MAX,
      }),
    ),
    ...periodDays,
    ...fieldsOf(comparisonSchema),
  },
  result: listOf(comparisonSchema),
  errors: ["tariff_required"],
  async run(args, { services, caller, nowMs }) {
    const today = dayOf(nowMs);
    const { from, to } = readPeriod(args, today);
    requireHistory(caller.plan, from, today);
    const channelIds = idsOf(args.channels, services);
    const hasBestPost = caller.plan.posts;
    return listJson(await services.compare({ channelIds, from, to, hasBestPost }));
  },
});

/**
 * The numbers of the channels that are named, each once.
 * @throws AppError `invalid` on `channels`, with each name that no channel has
 */
function idsOf(names: readonly string[], { channels }: Pick<Services, "channels">): number[] {
  const found = names.map((name) => ({ name, id: channels.findId(referenceTo(name)) }));
  const unknown = found.filter(({ id }) => id === null);
  if (unknown.length > 0) {
    const faults = unknown.map(({ name }) => message("noChannel", { channel: shortened(name) }));
    throw fieldError({ channels: faults });
  }
  return [...new Set(found.flatMap(({ id }) => id ?? []))];
}

/** A handle may have its `@` here, since no path is broken by it. */
function referenceTo(name: string): ChannelReference {
  return parsePathReference(name.replace(/^@/, ""));
}
