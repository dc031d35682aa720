/** @jsxImportSource hono/jsx */

import { useVisit } from "../visit/use-visit.ts";
import { asset } from "../visit/view.ts";

/** A channel's title, trimmed; a text in its place if it has none. */
export function titleOf({ title }: { title: string }): string {
  return title.trim() === "" ? useVisit().words.explorerPages.noTitle : title.trim();
}

/** A channel in a list: its picture, and its title linked to its page. */
export function ChannelLink({
  id,
  title,
  image,
}: {
  id: number;
  title: string;
  /** Address of its picture; none for a channel that was hidden meanwhile. */
  image: string | null | undefined;
}) {
  const name = titleOf({ title });
  return (
    <span class="named-channel">
      <Avatar id={id} title={name} image={image ?? null} />
      <a href={asset(`/account/channels/${id}/`)}>
        <bdi>{name}</bdi>
      </a>
    </span>
  );
}

/** @jsxImportSource hono/jsx */

const TINTS = 6;
const LETTERS = 2;

/**
 * A channel's picture on top of its initials in a chart colour, which show if there is no picture. The
 * appliance fetches and serves it itself.
 */
export function Avatar({
  id,
  title,
  image,
  isLarge = false,
}: {
  id: number;
  title: string;
  image: string | null;
  isLarge?: boolean;
}) {
  return (
    <span class={`avatar tint-${id % TINTS}${isLarge ? " large" : ""}`} aria-hidden="true">
      {initialsOf(title)}
      {image !== null && /^https:/i.test(image) && (
        <img src={asset(`/account/channels/${id}/picture/`)} alt="" loading="lazy" />
      )}
    </span>
  );
}

/** First letters of the first two words; a number sign for a title without letters. */
function initialsOf(title: string): string {
  const words = title.match(/[\p{L}\p{N}]+/gu) ?? ["#"];
  const letters = words.slice(0, LETTERS).map((word) => [...word][0] ?? "");
  return letters.join("").toUpperCase();
}
