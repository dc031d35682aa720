/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { type CardView, fieldsShownAs } from "../../../../catalog/channels/card.ts";
import type { Directory } from "../../../../catalog/directory/directory.ts";
import { Moment } from "../../look/answer-times.tsx";
import { type Fact, Facts } from "../../look/facts.tsx";
import { shownNumber } from "../../look/shown.tsx";
import { NamedLink, UserBlock, UserLink } from "../../look/user-text.tsx";
import { useVisit } from "../../visit/use-visit.ts";

/** Fields of the card that are not shown as figures. */
export function ChannelCard({ card, directory }: { card: CardView; directory: Directory }) {
  const visit = useVisit();
  const words = visit.words.explorerPages;
  const names = new Map(directory.categories().map(({ slug, name }) => [slug, name]));
  const category = (slug: string) => (
    <CatalogLink filter={{ category: slug }} text={names.get(slug) ?? slug} />
  );
  const labels = visit.words.channelFields;
  const rows: Fact[] = [
    [labels.id, String(card.id)],
    [labels.category, card.category && category(card.category)],
    [
      labels.categories,
      card.categories.length > 0 &&
        card.categories.map((slug, at) => (
          <>
            {at > 0 && ", "}
            {category(slug)}
          </>
        )),
    ],
    [labels.territory, card.territory && territoryOf(directory, card.territory)],
    ...fieldsShownAs("number").map(
      (name): Fact => [labels[name], card[name] !== null && shownNumber(card[name])],
    ),
    ...fieldsShownAs("moment").map(
      (name): Fact => [labels[name], card[name] && <Moment at={card[name]} />],
    ),
    ...fieldsShownAs("link").map(
      (name): Fact => [labels[name], card[name] && <UserLink address={card[name]} />],
    ),
    ...fieldsShownAs("text").map(
      (name): Fact => [labels[name], card[name] && <UserBlock text={card[name]} />],
    ),
  ];
  return (
    <section aria-labelledby="card" class="card">
      <h2 id="card">{words.card}</h2>
      <Facts facts={rows} />
    </section>
  );
}

/** A territory and its ancestors. */
function territoryOf(directory: Directory, slug: string): JSX.Element {
  const names = new Map(directory.territories({}).map((one) => [one.slug, one]));
  const path = names.get(slug)?.path.split("/") ?? [slug];
  const text = path.map((part) => names.get(part)?.name ?? part).join(" › ");
  return <CatalogLink filter={{ territory: slug }} text={text} />;
}

function CatalogLink({ filter, text }: { filter: Record<string, string>; text: string }) {
  return <NamedLink to={`/account/channels/?${new URLSearchParams(filter)}`}>{text}</NamedLink>;
}
