/** @jsxImportSource hono/jsx */
import { changeOver } from "../../../../catalog/metrics/change-over.ts";
import { averagesOf } from "../../../../catalog/statistics/averages.ts";
import { ChangeText, shownPercent } from "../../look/change.tsx";
import { ChannelLink } from "../../look/channel-link.tsx";
import { type Column, DataTable } from "../../look/data-table.tsx";
import { shownNumber } from "../../look/shown.tsx";
import { useVisit } from "../../visit/use-visit.ts";
import type { Compared } from "./compared.ts";

/** A table with the same figures for each channel. */
export function ComparedFigures({
  compared: { cards, rows, recent, comparisons },
}: {
  compared: Compared;
}) {
  const visit = useVisit();
  const words = visit.words.explorerPages;
  const compareWords = visit.words.comparePages;
  const number = (value: number | null) => (value === null ? "—" : shownNumber(value));
  const all = cards.map((card) => ({
    ...averagesOf(rows.filter(({ channel }) => channel === card.id)),
    card,
    recent: recent.filter(({ channel }) => channel === card.id),
    comparison: comparisons.get(card.id),
  }));
  const change = (days: number): Column<(typeof all)[number]> => [
    words.inDays(days),
    ({ recent }) => <ChangeText change={changeOver(recent, days)} />,
    "number",
  ];
  return (
    <DataTable
      label={visit.words.comparePages.compare}
      rows={all}
      columns={[
        [
          visit.words.channelFields.title,
          ({ card }) => (
            <span class="named-channel">
              <span class={`dot tint-${cards.indexOf(card)}`} />
              <ChannelLink id={card.id} title={card.title} image={card.image} />
            </span>
          ),
          "row",
        ],
        [visit.words.channelFields.subscribers, ({ card }) => number(card.subscribers), "number"],
        change(7),
        change(30),
        [
          words.viewsPerPost,
          ({ viewsPerPost, comparison }) => (
            <>
              {number(viewsPerPost)}
              {typeof comparison?.views_median === "number" && (
                <small>{compareWords.median(number(comparison.views_median))}</small>
              )}
            </>
          ),
          "number",
        ],
        [
          words.postsPerDay,
          ({ postsPerDay, comparison }) => (
            <>
              {number(postsPerDay)}
              {comparison !== undefined && comparison.posts > 0 && (
                <small>{compareWords.ads(number(comparison.ads))}</small>
              )}
            </>
          ),
          "number",
        ],
        [words.err, ({ comparison }) => shownPercent(comparison?.err), "number"],
      ]}
    />
  );
}
