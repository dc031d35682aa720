/** @jsxImportSource hono/jsx */
import { type CardView, fieldsShownAs } from "../../../../catalog/channels/card.ts";
import { Avatar } from "../../look/channel-link.tsx";
import { UserLink, webAddress } from "../../look/user-text.tsx";
import { asset, useSite, useVisit } from "../../visit/visit.ts";

/** Head of the page: which channel it is, and the actions on it. */
export function ChannelHead({ card, title }: { card: CardView; title: string }) {
  const words = useVisit().words.explorerPages;
  return (
    <div class="head">
      <Avatar id={card.id} title={title} image={card.image} isLarge />
      <div class="names">
        <h1>{title}</h1>
        <p class="about">
          {card.handle !== null && <Handle card={card} />}
          <span>{words.oneKind[card.kind]}</span>
          {card.category !== null && <bdi>{categoryName(card.category) ?? card.category}</bdi>}
          <Marks card={card} />
        </p>
      </div>
      <p class="row">
        <a class="button" href={asset(`/account/webhooks/?channels=${card.id}#create`)}>
          {words.watch}
        </a>
        <a class="button second" href={asset(`/account/compare/?channels=${card.id}`)}>
          {words.compare}
        </a>
        <a class="button second" href="#api">
          {words.useInApi}
        </a>
      </p>
    </div>
  );
}

/** Marks that have a sign, for use in lists. */
const SIGNS: Partial<Record<string, string>> = { verified: "✓" };

/** A channel's marks, as badges. */
export function Marks({
  card,
  isShort = false,
}: {
  card: CardView;
  /** Whether to show a mark's sign instead of its name, if it has one. */
  isShort?: boolean;
}) {
  const labels = useVisit().words.channelFields;
  const marks = fieldsShownAs("mark").filter((name) => card[name]);
  return (
    <>
      {marks.map((name) => {
        const sign = isShort ? SIGNS[name] : undefined;
        if (sign === undefined) return <span class="badge mark">{labels[name]}</span>;
        return (
          <span class="badge mark" title={labels[name]}>
            <span aria-hidden="true">{sign}</span>
            <span class="hidden">{labels[name]}</span>
          </span>
        );
      })}
    </>
  );
}

function Handle({ card: { handle, link } }: { card: CardView }) {
  const shown = <bdi>{`@${handle}`}</bdi>;
  return link !== null && webAddress(link) !== null ? (
    <UserLink address={link}>{shown}</UserLink>
  ) : (
    shown
  );
}

function categoryName(slug: string): string | undefined {
  const { services } = useSite();
  return services.directory.categories().find((one) => one.slug === slug)?.name;
}
