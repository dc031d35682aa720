import type { StatisticsSpan } from "../../catalog/statistics/statistics.ts";
import { formatDay } from "../../values/moscow-time.ts";
import { dailyStatisticsList } from "../../verbs/daily-statistics.ts";
import type { RawArguments } from "../../verbs/read-arguments.ts";
import type { Services } from "../../verbs/services.ts";

/** Most channels to explain individually; the rest are counted. */
const EXPLAINED_MAX = 20;

/**
 * Explains an answer without any day: channels that are unknown, that have no readings at all, or whose
 * readings are of other days.
 */
export function emptyStatisticsText(
  raw: RawArguments,
  { statistics }: Pick<Services, "statistics">,
): string {
  const read = dailyStatisticsList.parameters["channels"]?.read(raw["channels"]);
  const channels = read !== undefined && "value" in read ? (read.value as number[]) : [];
  const reasons = channels
    .slice(0, EXPLAINED_MAX)
    .map((channel) => reasonOf(channel, statistics.span(channel)));
  const more = channels.length - reasons.length;
  return `No readings in this period. ${reasons.join(" ")}${more > 0 ? ` And ${more} more channels.` : ""}`;
}

function reasonOf(channel: number, span: StatisticsSpan | null): string {
  if (span === null) {
    return `There is no channel ${channel}: msgr_channels_list and msgr_channels_resolve_retrieve give numbers.`;
  }
  if (span.first === null || span.last === null)
    return `Channel ${channel} has no readings at all.`;
  const first = formatDay(span.first);
  const last = formatDay(span.last);
  return `The readings of channel ${channel} go from ${first} until ${last}.`;
}
