/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { CardAnswer } from "../../../catalog/channels/stored-card.ts";
import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import { inOrder } from "../../../customers/accounts/plan.ts";
import { MOSCOW_ZONE } from "../../../values/moscow-time.ts";
import { WORDS } from "../../../words/words.ts";
import { dateFormat } from "../look/shown.tsx";
import { ChannelList } from "./channel-list.tsx";
import { PlanCards } from "./plan-cards.tsx";
import type { PublicView } from "./public-document.tsx";
import { categoryPath, linkTo, pageLink, type Reader, shownNumber, useReader } from "./reader.tsx";

/** Tables whose rows the page counts. */
export const COUNTED_TABLES: readonly string[] = Object.keys(WORDS.en.startPage.counted);

/** Facts about the data and the plans that the page shows. */
export interface StartFacts {
  /** Row counts by table; null if they could not be counted. @property isMore there are more than `rows` */
  tables: readonly { name: string; rows: number; isMore: boolean }[] | null;
  categories: readonly { slug: string; name: string; channels: number }[];
  plans: readonly Plan[];
  /** When the latest post was published. */
  latestPostAt: string | null;
  /** Answers to the questions; null if the catalog is not public. */
  answers: {
    category: { slug: string; name: string } | null;
    leaders: readonly CardAnswer[];
    growing: readonly CardAnswer[];
    found: readonly CardAnswer[];
  } | null;
}

const CATEGORIES_SHOWN = 12;

/** `/`: what data there is, what it answers, and what it costs. */
export function startPage(reader: Reader, facts: StartFacts): PublicView {
  const texts = WORDS[reader.language].startPage;
  return {
    path: "/",
    hasOneAddress: true,
    title: texts.title,
    description: texts.intro,
    things: [],
    body: (
      <>
        <section class="hero">
          <h1>{texts.title}</h1>
          <p>{texts.intro}</p>
          <Start />
        </section>
        <Numbers facts={facts} />
        <Questions facts={facts} />
        <Categories facts={facts} />
        <section id="plans">
          <h2>{texts.plans}</h2>
          <PlanCards plans={inOrder(facts.plans)} />
        </section>
        <WhereTo />
      </>
    ),
  };
}

function Start() {
  const reader = useReader();
  const { startPage: texts } = reader.words;
  return (
    <p class="row">
      {reader.maySignUp && (
        <a class="button" href={linkTo(reader, "/account/sign-up/")}>
          {texts.signUp}
        </a>
      )}
      <a class={reader.maySignUp ? "button second" : "button"} href={linkTo(reader, "/docs/")}>
        {reader.words.documentation}
      </a>
      {reader.hasCatalog && (
        <a class="button second" href={pageLink(reader, "/c/")}>
          {reader.texts.catalog}
        </a>
      )}
    </p>
  );
}

/** How much data there is, and how fresh it is. */
function Numbers({ facts: { tables, latestPostAt } }: { facts: StartFacts }) {
  const { words } = useReader();
  const texts = words.startPage;
  const shown = latestPostAt === null ? null : Date.parse(latestPostAt);
  return (
    <dl class="figures" aria-label={texts.data}>
      {Object.entries(texts.counted).map(([table, label]) => {
        const found = tables?.find(({ name }) => name === table);
        return (
          <div>
            <dt>{label}</dt>
            <dd>
              {found === undefined ? "—" : shownNumber(found.rows)}
              {found?.isMore && "+"}
            </dd>
          </div>
        );
      })}
      <div>
        <dt>{texts.latestPost}</dt>
        <dd>
          {shown === null ? (
            "—"
          ) : (
            <time datetime={latestPostAt ?? ""}>
              {dateFormat(words.locale, {
                ...{ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
                timeZone: MOSCOW_ZONE,
              }).format(shown)}
            </time>
          )}
        </dd>
      </div>
    </dl>
  );
}

/** Questions that people ask, each with the request that answers it, and the answer. */
function Questions({ facts: { answers } }: { facts: StartFacts }) {
  const { words } = useReader();
  const { questions } = words.startPage;
  const category = answers?.category ?? { slug: "news", name: "" };
  const leads = category.name === "" ? questions.leadsAny : questions.leads(category.name);
  return (
    <section>
      <h2>{questions.title}</h2>
      <div class="questions">
        <Question
          asked={leads}
          query={{ category: category.slug, limit: "3" }}
          cards={answers?.leaders}
        />
        <Question
          asked={questions.grows}
          query={{ ordering: "-growth_30d_percent", include: "metrics", limit: "3" }}
          cards={answers?.growing}
          isByGrowth
        />
        <Question
          asked={questions.find}
          query={{ q: "новости", limit: "3" }}
          cards={answers?.found}
        />
      </div>
    </section>
  );
}

function Question({
  asked,
  query,
  cards = [],
  isByGrowth = false,
}: {
  asked: string;
  query: Record<string, string>;
  cards?: readonly CardAnswer[] | undefined;
  isByGrowth?: boolean;
}) {
  return (
    <article>
      <h3>{asked}</h3>
      <pre tabindex={0}>
        <code>
          GET /v1/msgr/channels/
          {Object.entries(query).map(
            ([name, value], at) => `\n  ${at === 0 ? "?" : "&"}${name}=${value}`,
          )}
        </code>
      </pre>
      {cards.length > 0 && <ChannelList cards={cards} label={asked} isByGrowth={isByGrowth} />}
    </article>
  );
}

function Categories({ facts: { categories } }: { facts: StartFacts }) {
  const reader = useReader();
  const { startPage: texts } = reader.words;
  const largest = categories
    .filter(({ channels }) => channels > 0)
    .toSorted((one, other) => other.channels - one.channels)
    .slice(0, CATEGORIES_SHOWN);
  if (largest.length === 0) return null;
  return (
    <section>
      <h2>{texts.categories}</h2>
      <ul class="chips">
        {largest.map(({ slug, name, channels }) => (
          <li>
            <Chip to={reader.hasCatalog ? pageLink(reader, categoryPath(slug)) : null}>
              <bdi>{name}</bdi> <small>{shownNumber(channels)}</small>
            </Chip>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Chip({ to, children }: { to: string | null; children?: Child }) {
  return to === null ? <span>{children}</span> : <a href={to}>{children}</a>;
}

function WhereTo() {
  const reader = useReader();
  const { startPage: texts } = reader.words;
  return (
    <section>
      <h2>{texts.whereTo}</h2>
      <ul class="cards">
        {texts.links.map(({ path, name, text }) => (
          <li>
            <a href={linkTo(reader, `/${path}`)}>{name}</a>
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
