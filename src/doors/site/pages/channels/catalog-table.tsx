/** @jsxImportSource hono/jsx */
import type { CardAnswer } from "../../../../catalog/channels/stored-card.ts";
import { CATALOG_ORDERINGS, type CatalogOrdering } from "../../../../catalog/search/catalog.ts";
import { dayOf } from "../../../../values/moscow-time.ts";
import { Avatar } from "../../look/channel-link.tsx";
import { Scroll } from "../../look/data-table.tsx";
import { ChangeText, changeOf, Sparkline, shownPart, shownPercent } from "../../look/day-chart.tsx";
import { shownNumber } from "../../look/shown.tsx";
import { ownPlan } from "../../visit/viewer.ts";
import { asset, useSite, useVisit } from "../../visit/visit.ts";
import { Marks } from "./channel-head.tsx";

const PATH = "/account/channels/";
/** Readings in a sparkline. */
const READINGS = 30;
/** Id of the form that all rows' checkboxes belong to. */
export const COMPARE = "compare";

/** Channels with growth and engagement, which can be selected for comparison. */
export async function CatalogTable({
  cards,
  given,
}: {
  cards: readonly CardAnswer[];
  /** The catalog's filters, whose results the columns' heads sort; none on other pages. */
  given?: Readonly<Record<string, string>>;
}) {
  const visit = useVisit();
  const context = useSite();
  const { channelFields, explorerPages: words } = visit.words;
  const { historyDays } = await ownPlan();
  const lines = context.services.statistics.latest({
    channelIds: cards.map(({ id }) => id),
    since: historyDays === null ? null : dayOf(visit.nowMs) - historyDays + 1,
    limit: READINGS,
  });
  const categories = context.services.directory.categories();
  const names = new Map(categories.map(({ slug, name }) => [slug, name]));
  return (
    <Scroll label={words.found}>
      <table class="listed catalog">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">{words.compare}</span>
            </th>
            <th scope="col">{channelFields.title}</th>
            <Head given={given} ordering="-subscribers" label={channelFields.subscribers} />
            <Head given={given} ordering="-growth_30d" label={words.growth(30)} />
            <Head given={given} ordering="-err_30d" label={words.err} hint={words.errHint} />
            <th scope="col" class="whole">
              <abbr title={words.ownScale}>{words.trend}</abbr>
            </th>
            <th scope="col">{channelFields.category}</th>
          </tr>
        </thead>
        <tbody>
          {cards.map((card) => (
            <Row
              card={card}
              category={card.category && (names.get(card.category) ?? card.category)}
              line={lines.get(card.id) ?? []}
            />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** A column's head, which sorts the catalog by it, largest first. */
function Head({
  given,
  ordering,
  label,
  hint,
}: {
  given: Readonly<Record<string, string>> | undefined;
  ordering: CatalogOrdering;
  label: string;
  hint?: string;
}) {
  const text = hint === undefined ? label : <abbr title={hint}>{label}</abbr>;
  // A list of numbers has an order of its own, which sorting replaces by all channels.
  const { ids, ...filters } = given ?? {};
  const isSorted = ids === undefined && (filters["ordering"] ?? CATALOG_ORDERINGS[0]) === ordering;
  return (
    <th
      scope="col"
      class="number"
      aria-sort={given !== undefined && isSorted ? "descending" : undefined}
    >
      {given === undefined ? (
        text
      ) : (
        <a href={asset(`${PATH}?${new URLSearchParams({ ...filters, ordering })}`)}>{text}</a>
      )}
    </th>
  );
}

function Row({
  card,
  category,
  line,
}: {
  card: CardAnswer;
  category: string | null;
  line: readonly number[];
}) {
  const { channelFields, explorerPages: words } = useVisit().words;
  const { id, handle, image, subscribers, metrics } = card;
  const title = card.title.trim() === "" ? words.noTitle : card.title;
  const [first = 0, last = 0] = [line[0], line.at(-1)];
  return (
    <tr>
      <td class="pick">
        <label>
          <input
            type="checkbox"
            name="channels"
            value={id}
            form={COMPARE}
            aria-labelledby={`c${id}`}
          />
        </label>
      </td>
      <td class="address">
        <div class="who">
          <Avatar id={id} title={title} image={image} />
          <div>
            <a id={`c${id}`} href={asset(`${PATH}${id}/`)}>
              <bdi>{title}</bdi>
            </a>{" "}
            <Marks card={card} isShort />
            {handle !== null && (
              <small>
                <bdi>{`@${handle}`}</bdi>
              </small>
            )}
          </div>
        </div>
      </td>
      <td class="number" data-label={channelFields.subscribers}>
        {shownNumber(subscribers)}
      </td>
      <td class="number" data-label={words.growth(30)}>
        <ChangeText change={changeOf(metrics?.growth_30d, metrics?.growth_30d_percent)} />
      </td>
      <td class="number" data-label={words.err}>
        {shownPercent(metrics?.err_30d)}
      </td>
      <td class="whole" data-label={words.trend}>
        {line.length > 1 ? (
          <>
            <Sparkline values={line} />
            {first > 0 && <span class="hidden">{shownPart((last - first) / first, true)}</span>}
          </>
        ) : (
          "—"
        )}
      </td>
      <td data-label={channelFields.category}>{category !== null && <bdi>{category}</bdi>}</td>
    </tr>
  );
}
