/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";
import { type CardView, fieldsShownAs } from "../../../../catalog/channels/card.ts";
import type { Directory } from "../../../../catalog/directory/directory.ts";
import { notFound } from "../../../../errors.ts";
import { channelsRetrieve } from "../../../../methods/channels.ts";
import { Moment } from "../../look/answer-times.tsx";
import { asset } from "../../look/layout.tsx";
import { shownNumber } from "../../look/shown.tsx";
import { UserBlock, UserLink } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { lookUp } from "../../visit/look-up.ts";
import { page } from "../../visit/view.ts";
import type { Visit } from "../../visit/visit.ts";
import { channelPosts, deletePost } from "./channel-posts.tsx";
import { channelStatistics } from "./channel-statistics.tsx";

/** `/account/channels/:id/`: a channel's card, its statistics and its posts. */
export const channelPage: SitePage = {
  path: "/account/channels/:id/",
  access: "member",
  async show(visit, context) {
    const channel = visit.params["id"] ?? "";
    if (channel === "") throw notFound("channel");
    const card = await lookUp<CardView>(channelsRetrieve, { channel }, visit, context);
    const words = visit.words.explorerPages;
    const title = card.title.trim();
    return page(
      title === "" ? words.noTitle : title,
      <>
        {visit.query.get("done") === "deleted" && <p role="status">{words.postDeleted}</p>}
        <p>
          <a href={asset(visit, "/account/channels/")}>← {words.allChannels}</a>
        </p>
        <Card visit={visit} card={card} directory={context.services.directory} />
        {await channelStatistics(card, visit, context)}
        {await channelPosts(card, visit, context)}
      </>,
    );
  },
  actions: { "delete-post": deletePost },
};

type Row = [term: string, value: Child];

function Card({
  visit,
  card,
  directory,
}: {
  visit: Visit;
  card: CardView;
  directory: Directory;
}): JSX.Element {
  const words = visit.words.explorerPages;
  const names = new Map(directory.categories().map(({ slug, name }) => [slug, name]));
  const category = (slug: string) => (
    <CatalogLink visit={visit} filter={{ category: slug }} text={names.get(slug) ?? slug} />
  );
  const marks = fieldsShownAs("mark").filter((name) => card[name]);
  const row = (name: keyof typeof words.fields, value: Child): Row => [words.fields[name], value];
  const rows: Row[] = [
    [words.handle, card.handle && <bdi>{`@${card.handle}`}</bdi>],
    [words.number, String(card.id)],
    [words.kind, words.oneKind[card.kind]],
    [words.subscribers, shownNumber(visit, card.subscribers)],
    [words.category, card.category && category(card.category)],
    [
      words.otherCategories,
      card.categories.length > 0 &&
        card.categories.map((slug, at) => (
          <>
            {at > 0 && ", "}
            {category(slug)}
          </>
        )),
    ],
    [words.territory, card.territory && territoryOf(visit, directory, card.territory)],
    [words.marks, marks.map((name) => words.fields[name]).join(", ")],
    ...fieldsShownAs("number").map((name) =>
      row(name, card[name] !== null && shownNumber(visit, card[name])),
    ),
    ...fieldsShownAs("moment").map((name) =>
      row(name, card[name] && <Moment visit={visit} at={card[name]} />),
    ),
    ...fieldsShownAs("link").map((name) =>
      row(name, card[name] && <UserLink address={card[name]} />),
    ),
    ...fieldsShownAs("text").map((name) =>
      row(name, card[name] && <UserBlock text={card[name]} />),
    ),
  ];
  return (
    <section aria-label={words.card}>
      <dl>
        {rows.map(
          ([term, value]) =>
            Boolean(value) && (
              <>
                <dt>{term}</dt>
                <dd>{value}</dd>
              </>
            ),
        )}
      </dl>
    </section>
  );
}

/** A place with those that it lies in. */
function territoryOf(visit: Visit, directory: Directory, slug: string): JSX.Element {
  const names = new Map(directory.territories({}).map((one) => [one.slug, one]));
  const path = names.get(slug)?.path.split("/") ?? [slug];
  const text = path.map((part) => names.get(part)?.name ?? part).join(" › ");
  return <CatalogLink visit={visit} filter={{ territory: slug }} text={text} />;
}

function CatalogLink({
  visit,
  filter,
  text,
}: {
  visit: Visit;
  filter: Record<string, string>;
  text: string;
}): JSX.Element {
  return (
    <a href={asset(visit, `/account/channels/?${new URLSearchParams(filter)}`)}>
      <bdi>{text}</bdi>
    </a>
  );
}
