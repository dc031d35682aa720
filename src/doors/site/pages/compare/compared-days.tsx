/** @jsxImportSource hono/jsx */
import type { CardView } from "../../../../catalog/channels/card.ts";
import type { ComparisonView } from "../../../../catalog/comparison/comparison.ts";
import type { DailyStatisticsView } from "../../../../catalog/statistics/statistics.ts";
import { AppError } from "../../../../errors.ts";
import { parseNumber } from "../../../../values/fields.ts";
import type { Page } from "../../../../values/json-text.ts";
import { formatDay } from "../../../../values/moscow-time.ts";
import { channelsList, channelsResolveRetrieve } from "../../../../verbs/methods/channels.ts";
import { channelsCompareList } from "../../../../verbs/methods/statistics.ts";
import { cutText } from "../../forms/faults.ts";
import { DrawnDays, shownPart } from "../../look/day-chart.tsx";
import { lookUp, orRefusal } from "../../visit/look-up.ts";
import { useVisit } from "../../visit/visit.ts";
import type { ReadingPeriod, Readings } from "../channels/channel-readings.ts";
import { firstDrawn, PERIODS, readReadings } from "../channels/channel-readings.ts";
import { knownViews } from "../channels/channel-statistics.tsx";

/** Measures to compare, as in the address's `measure`; the first is the default. */
export const MEASURES = ["growth", "subscribers", "views"] as const;
export type Measure = (typeof MEASURES)[number];

export function measureOf(): Measure {
  const { query } = useVisit();
  return MEASURES.find((measure) => measure === query.get("measure")) ?? MEASURES[0];
}

/** A line per channel, with the table they are drawn from. */
export function ComparedDays({
  compared: { cards, from, to, rows },
  measure,
  titles,
}: {
  compared: Compared;
  measure: Measure;
  titles: readonly string[];
}) {
  const words = useVisit().words.comparePages;
  const days = [...new Set(rows.map(({ day }) => day))].sort();
  const isGrowth = measure === "growth";
  const columns = cards.map(({ id }, at) => {
    const own = rows.filter(({ channel }) => channel === id);
    const values = valuesOf(own, measure);
    return {
      head: titles[at],
      value: ({ day }: { day: string }) => values.get(day) ?? null,
      ...(isGrowth && { text: (value: number) => shownPart(value / 100, true) }),
    };
  });
  return (
    <DrawnDays
      id="compared"
      label={words.measures[measure]}
      days={days.map((day) => ({ day }))}
      columns={columns}
      from={firstDrawn({ from, to, rows })}
      to={formatDay(to)}
      unit={isGrowth ? "%" : undefined}
    />
  );
}

/** Values by day; growth is in percent of the period's first reading, to two decimals. */
function valuesOf(rows: readonly DailyStatisticsView[], measure: Measure): Map<string, number> {
  const first = rows.find(({ subscribers }) => subscribers > 0)?.subscribers ?? null;
  return new Map(
    rows.flatMap((row): [string, number][] => {
      if (measure === "subscribers") return [[row.day, row.subscribers]];
      if (measure === "views") {
        const views = knownViews(row);
        return views === null ? [] : [[row.day, views]];
      }
      if (first === null) return [];
      return [[row.day, Math.round((10_000 * (row.subscribers - first)) / first) / 100]];
    }),
  );
}

/** As many lines as can be distinguished in one chart. */
export const COMPARED_MAX = 5;
const NAME_BYTES_MAX = 200;

/** The compared channels, in the given order, with their days. */
export interface Compared extends Readings {
  cards: CardView[];
  /** Names that match no public channel. */
  unknown: string[];
  /** Whether more were named than can be compared. */
  isTooMany: boolean;
  /** The period's figures by channel; empty if the plan does not cover it, or it exceeds a year. */
  comparisons: ReadonlyMap<number, ComparisonView>;
}

/** Reads the address's `channels`: numbers, @handles or links, without duplicates. */
export async function readCompared(): Promise<Compared> {
  const named = useVisit()
    .query.getAll("channels")
    .flatMap((text) => text.split(/[\s,]+/));
  const names = [...new Set(named.filter((name) => name !== ""))];
  const found = await Promise.all(names.slice(0, 2 * COMPARED_MAX).map((name) => findCard(name)));
  const cards = new Map(found.flatMap((card) => (card === null ? [] : [[card.id, card] as const])));
  const shown = [...cards.values()].slice(0, COMPARED_MAX);
  const readings = await readReadings(shown);
  return {
    cards: shown,
    unknown: names
      .filter((_, at) => found[at] === null)
      .map((name) => cutText(name, NAME_BYTES_MAX)),
    isTooMany: names.length > COMPARED_MAX && cards.size >= COMPARED_MAX,
    ...readings,
    comparisons: await readComparisons(shown, readings),
  };
}

async function readComparisons(
  cards: readonly CardView[],
  period: ReadingPeriod,
): Promise<Compared["comparisons"]> {
  if (cards.length === 0) return new Map();
  const raw = comparisonCall(cards, period);
  const found = await orRefusal(lookUp<{ results: ComparisonView[] }>(channelsCompareList, raw));
  return new Map(
    found instanceof AppError ? [] : found.results.map((one) => [one.channel, one] as const),
  );
}

/** The API call for a period; the shortest one is the method's default, the metrics' 30 days. */
export function comparisonCall(
  cards: readonly CardView[],
  { period, from, to }: ReadingPeriod,
): Record<string, string> {
  const bounds = period === PERIODS[0] ? {} : { from: formatDay(from), to: formatDay(to) };
  return { channels: cards.map(({ id }) => id).join(), ...bounds };
}

async function findCard(name: string): Promise<CardView | null> {
  try {
    if (parseNumber(name) === null) {
      return await lookUp<CardView>(channelsResolveRetrieve, { q: name });
    }
    const page = await lookUp<Page<CardView>>(channelsList, { ids: name });
    return page.results[0] ?? null;
  } catch (error) {
    if (error instanceof AppError && ["not_found", "invalid"].includes(error.code)) return null;
    throw error;
  }
}
