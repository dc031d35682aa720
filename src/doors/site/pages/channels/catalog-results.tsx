/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { CardView } from "../../../../catalog/channels/card.ts";
import type { Page } from "../../../../values/json-text.ts";
import { dayOf } from "../../../../values/moscow-time.ts";
import { ApiCall } from "../../look/api-call.tsx";
import { Avatar } from "../../look/avatar.tsx";
import { shownPart } from "../../look/change.tsx";
import { Scroll } from "../../look/data-table.tsx";
import { asset } from "../../look/layout.tsx";
import { shownNumber } from "../../look/shown.tsx";
import { Sparkline } from "../../look/sparkline.tsx";
import type { SiteContext } from "../../site-context.ts";
import { nextCursor } from "../../visit/look-up.ts";
import { planOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";
import { DOWNLOAD_MAX, type Filter, givenOf } from "./catalog-filter.ts";
import { Marks } from "./channel-head.tsx";

const PATH = "/account/channels/";
/** Readings that a line shows. */
const READINGS = 30;
/** The form to which the boxes of all rows belong. */
const COMPARE = "compare";

interface ResultsProps {
  visit: Visit;
  context: SiteContext;
  page: Page<CardView>;
  filter: Filter;
  /** How many there are. */
  summary: string;
}

/** The channels found: how many, a table, and the same as a file and as a request. */
export async function CatalogResults({
  visit,
  context,
  page,
  filter,
  summary,
}: ResultsProps): Promise<JSX.Element> {
  const words = visit.words.explorerPages;
  if (page.results.length === 0) return <p class="empty">{words.nothingFound}</p>;
  const cursor = nextCursor(page);
  const given = givenOf(filter);
  const hrefOf = (more: Record<string, string>) =>
    asset(visit, `${PATH}?${new URLSearchParams({ ...given, ...more })}`);
  const { historyDays } = await planOf(visit, context);
  const lines = context.services.statistics.latest({
    channelIds: page.results.map(({ id }) => id),
    since: historyDays === null ? null : dayOf(visit.nowMs) - historyDays + 1,
    limit: READINGS,
  });
  return (
    <>
      <div class="row apart">
        <strong>{summary}</strong>
        <form id={COMPARE} method="get" action={asset(visit, "/account/compare/")} class="row">
          <a href={hrefOf({ download: "csv" })}>
            {words.downloadList(shownNumber(visit, DOWNLOAD_MAX))}
          </a>
          <button type="submit" class="second small">
            {words.compareChosen}
          </button>
        </form>
      </div>
      <details class="folded">
        <summary>{words.listAsCall}</summary>
        <ApiCall visit={visit} label={words.listAsCall} path="/v1/msgr/channels/" query={given} />
      </details>
      <Table visit={visit} context={context} cards={page.results} lines={lines} />
      <p class="row">
        {visit.query.get("cursor") && <a href={hrefOf({})}>{words.firstPage}</a>}
        {cursor !== null && (
          <a href={hrefOf({ cursor })} rel="next">
            {words.nextPage}
          </a>
        )}
      </p>
    </>
  );
}

function Table({
  visit,
  context,
  cards,
  lines,
}: {
  visit: Visit;
  context: SiteContext;
  cards: readonly CardView[];
  lines: ReadonlyMap<number, readonly number[]>;
}): JSX.Element {
  const words = visit.words.explorerPages;
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
            <th scope="col">{words.title}</th>
            <th scope="col" class="number">
              {words.subscribers}
            </th>
            <th scope="col">
              {words.trend}
              <small>{words.ownScale}</small>
            </th>
            <th scope="col">{words.category}</th>
          </tr>
        </thead>
        <tbody>
          {cards.map((card) => (
            <Row
              visit={visit}
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

function Row({
  visit,
  card,
  category,
  line,
}: {
  visit: Visit;
  card: CardView;
  category: string | null;
  line: readonly number[];
}): JSX.Element {
  const words = visit.words.explorerPages;
  const { id, handle, subscribers } = card;
  const title = card.title.trim() === "" ? words.noTitle : card.title;
  const [first = 0, last = 0] = [line[0], line.at(-1)];
  return (
    <tr>
      <td class="pick">
        <input
          type="checkbox"
          name="channels"
          value={id}
          form={COMPARE}
          aria-labelledby={`c${id}`}
        />
      </td>
      <td class="address">
        <div class="who">
          <Avatar id={id} title={title} />
          <div>
            <a id={`c${id}`} href={asset(visit, `${PATH}${id}/`)}>
              <bdi>{title}</bdi>
            </a>{" "}
            <Marks visit={visit} card={card} isShort />
            {handle !== null && (
              <small>
                <bdi>{`@${handle}`}</bdi>
              </small>
            )}
          </div>
        </div>
      </td>
      <td class="number" data-label={words.subscribers}>
        {shownNumber(visit, subscribers)}
      </td>
      <td class="whole" data-label={line.length > 1 ? words.trend : undefined}>
        {line.length > 1 && (
          <>
            <Sparkline values={line} />{" "}
            {first > 0 && <small>{shownPart(visit, (last - first) / first, true)}</small>}
          </>
        )}
      </td>
      <td data-label={words.category}>{category !== null && <bdi>{category}</bdi>}</td>
    </tr>
  );
}
