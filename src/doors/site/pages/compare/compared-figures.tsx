/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { changeOver } from "../../../../catalog/metrics/change-over.ts";
import { averagesOf } from "../../../../catalog/statistics/averages.ts";
import { ChangeText, shownPercent } from "../../look/change.tsx";
import { ChannelLink } from "../../look/channel-link.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { shownNumber } from "../../look/shown.tsx";
import { useVisit } from "../../visit/use-visit.ts";
import type { Compared } from "./compared.ts";

/** A table with the same figures for each channel. */
export function ComparedFigures({
  compared: { cards, rows, recent, comparisons },
}: {
  compared: Compared;
}): JSX.Element {
  const visit = useVisit();
  const words = visit.words.explorerPages;
  const compareWords = visit.words.comparePages;
  const number = (value: number | null) => (value === null ? "—" : shownNumber(value));
  const columns = [
    visit.words.channelFields.title,
    `#${visit.words.channelFields.subscribers}`,
    `#${words.inDays(7)}`,
    `#${words.inDays(30)}`,
    `#${words.viewsPerPost}`,
    `#${words.postsPerDay}`,
    `#${words.err}`,
  ];
  return (
    <DataTable label={visit.words.comparePages.compare} columns={columns}>
      {cards.map((card, at) => {
        const own = rows.filter(({ channel }) => channel === card.id);
        const last = recent.filter(({ channel }) => channel === card.id);
        const { viewsPerPost, postsPerDay } = averagesOf(own);
        const comparison = comparisons.get(card.id);
        return (
          <tr>
            <th scope="row">
              <span class="named-channel">
                <span class={`dot tint-${at}`} />
                <ChannelLink id={card.id} title={card.title} image={card.image} />
              </span>
            </th>
            <td class="number">{number(card.subscribers)}</td>
            {[7, 30].map((days) => (
              <td class="number">
                <ChangeText change={changeOver(last, days)} />
              </td>
            ))}
            <td class="number">
              {number(viewsPerPost)}
              {typeof comparison?.views_median === "number" && (
                <small>{compareWords.median(number(comparison.views_median))}</small>
              )}
            </td>
            <td class="number">
              {number(postsPerDay)}
              {comparison !== undefined && comparison.posts > 0 && (
                <small>{compareWords.ads(number(comparison.ads))}</small>
              )}
            </td>
            <td class="number">{shownPercent(comparison?.err)}</td>
          </tr>
        );
      })}
    </DataTable>
  );
}
