/** @jsxImportSource hono/jsx */
import type { CardAnswer } from "../../../catalog/channels/stored-card.ts";
import type { Category, Territory } from "../../../catalog/directory/directory.table.ts";
import { WORDS } from "../../../words/words.ts";
import { curlOf } from "../look/api-call.tsx";
import { ChannelList } from "./channel-list.tsx";
import { breadcrumbsOf, datasetOf } from "./json-ld.tsx";
import type { PublicView } from "./public-document.tsx";
import type { Reader } from "./reader.tsx";
import { categoryPath, pageLink, shownNumber, territoryPath, useReader } from "./reader.tsx";

export interface CatalogFacts {
  leaders: CardAnswer[];
  trending: CardAnswer[];
  categories: readonly Category[];
  territories: readonly Territory[];
}

/** Few, so that the leaders begin within the first screen. */
const FACETS_SHOWN = 8;

/** `/c/`: the leaders, what grows, and all categories and territories. */
export function catalogPage(reader: Reader, facts: CatalogFacts): PublicView {
  const texts = WORDS[reader.language].publicPages;
  const description = texts.catalogText(reader.brand);
  return {
    path: "/c/",
    title: texts.catalogTitle,
    description,
    things: [datasetOf(reader, "/c/", { name: texts.catalogTitle, description }, ["subscribers"])],
    body: (
      <>
        <section class="hero">
          <h1>{texts.catalogTitle}</h1>
          <p>{description}</p>
          <SearchForm />
        </section>
        <Facets facts={facts} />
        <Lists facts={facts} heading={texts.leaders} />
        <AsCall query={{ ordering: "-subscribers", include: "metrics" }} />
      </>
    ),
  };
}

/** `/c/?q=…`: channels by title, or the nearest titles. @param given null if the text is too short */
export function searchPage(
  reader: Reader,
  q: string,
  given: { found: CardAnswer[]; nearest: CardAnswer[] } | null,
): PublicView {
  const { found = [], nearest = [] } = given ?? {};
  const { publicPages: texts, explorerPages } = WORDS[reader.language];
  return {
    path: null,
    title: texts.searchTitle,
    description: texts.searchTitle,
    body: (
      <>
        <section class="hero">
          <h1>{texts.searchTitle}</h1>
          <SearchForm q={q} />
        </section>
        {given === null && <p role="alert">{explorerPages.shortQuery}</p>}
        {given !== null && found.length === 0 && <p role="status">{texts.nothingFound}</p>}
        {found.length > 0 && <ChannelList cards={found} label={texts.searchTitle} />}
        {nearest.length > 0 && (
          <>
            <h2>{explorerPages.nearestTitles}</h2>
            <ChannelList cards={nearest} label={explorerPages.nearestTitles} />
          </>
        )}
        <AsCall query={{ q }} />
      </>
    ),
  };
}

/** `/c/category/{slug}/` and `/c/territory/{slug}/`. */
export function facetPage(
  reader: Reader,
  facet: { kind: "category" | "territory"; slug: string; name: string; channels: number },
  facts: Pick<CatalogFacts, "leaders" | "trending">,
): PublicView {
  const texts = WORDS[reader.language].publicPages;
  const { kind, slug, name } = facet;
  const path = kind === "category" ? categoryPath(slug) : territoryPath(slug);
  const title = kind === "category" ? texts.categoryTitle(name) : texts.territoryTitle(name);
  const description = texts.facetText(name, facet.channels);
  return {
    path,
    title,
    description,
    things: [
      datasetOf(reader, path, { name: title, description }, ["subscribers"]),
      breadcrumbsOf(reader, [
        [texts.catalog, "/c/"],
        [name, path],
      ]),
    ],
    body: (
      <>
        <Trail>
          <bdi>{name}</bdi>
        </Trail>
        <section class="hero">
          <h1>{title}</h1>
          <p>{description}</p>
        </section>
        <Lists facts={facts} heading={texts.leaders} />
        <AsCall query={{ [kind]: slug, ordering: "-subscribers", include: "metrics" }} />
      </>
    ),
  };
}

/** The way back to the catalog. */
export function Trail({ children }: { children?: unknown }) {
  const reader = useReader();
  return (
    <nav class="trail" aria-label={reader.texts.trail}>
      <a href={pageLink(reader, "/c/")}>{reader.texts.catalog}</a> / {children}
    </nav>
  );
}

function SearchForm({ q = "" }: { q?: string }) {
  const reader = useReader();
  const { texts, words } = reader;
  return (
    <search>
      <form action={pageLink(reader, "/c/")} method="get" class="search">
        <label for="q" class="hidden">
          {words.explorerPages.query}
        </label>
        <input
          id="q"
          name="q"
          type="search"
          value={q}
          placeholder={words.explorerPages.query}
          maxlength={100}
          required
        />
        <button type="submit">{texts.find}</button>
      </form>
    </search>
  );
}

function Lists({
  facts: { leaders, trending },
  heading,
}: {
  facts: Pick<CatalogFacts, "leaders" | "trending">;
  heading: string;
}) {
  const { texts } = useReader();
  return (
    <div class={trending.length > 0 ? "columns" : undefined}>
      <section>
        <h2>{heading}</h2>
        {leaders.length === 0 ? (
          <p>{texts.noChannels}</p>
        ) : (
          <ChannelList cards={leaders} label={heading} />
        )}
      </section>
      {trending.length > 0 && (
        <section>
          <h2>{texts.trending}</h2>
          <ChannelList cards={trending} label={texts.trending} isByGrowth />
        </section>
      )}
    </div>
  );
}

function Facets({ facts: { categories, territories } }: { facts: CatalogFacts }) {
  const { texts, words } = useReader();
  return (
    <>
      <FacetLinks
        label={words.channelFields.category}
        all={texts.allCategories}
        entries={categories}
        pathOf={categoryPath}
      />
      <FacetLinks
        label={words.channelFields.territory}
        all={texts.allTerritories}
        entries={territories}
        pathOf={territoryPath}
      />
    </>
  );
}

/** The largest categories or territories with their numbers of channels; the rest can be unfolded. */
function FacetLinks({
  label,
  all,
  entries,
  pathOf,
}: {
  label: string;
  all: string;
  entries: readonly (Category | Territory)[];
  pathOf: (slug: string) => string;
}) {
  const reader = useReader();
  const known = entries
    .filter(({ channels }) => channels > 0)
    .toSorted((one, other) => other.channels - one.channels);
  if (known.length === 0) return null;
  const [shown, rest] = [known.slice(0, FACETS_SHOWN), known.slice(FACETS_SHOWN)];
  const links = (list: typeof known) => (
    <ul class="chips">
      {list.map(({ slug, name, channels }) => (
        <li>
          <a href={pageLink(reader, pathOf(slug))}>
            <bdi>{name}</bdi> <small>{shownNumber(channels)}</small>
          </a>
        </li>
      ))}
    </ul>
  );
  return (
    <nav aria-label={label}>
      {links(shown)}
      {rest.length > 0 && (
        <details>
          <summary>{all}</summary>
          {links(rest)}
        </details>
      )}
    </nav>
  );
}

/** The page's data as a request of the API. */
export function AsCall({
  path = "/v1/msgr/channels/",
  query = {},
}: {
  path?: string;
  query?: Record<string, string>;
}) {
  const { address, texts } = useReader();
  return (
    <section class="call">
      <h2>{texts.asCall}</h2>
      <pre tabindex={0}>
        <code>{curlOf(address + path, query)}</code>
      </pre>
    </section>
  );
}
