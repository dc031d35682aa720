/** @jsxImportSource hono/jsx */
import { asset, useVisit } from "../visit/visit.ts";

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

export const TINTS = 6;
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
      {hasPicture(image) && (
        <img src={asset(`/account/channels/${id}/picture/`)} alt="" loading="lazy" />
      )}
    </span>
  );
}

/** Whether a card's image may be one that the appliance can fetch. */
export const hasPicture = (image: string | null): boolean =>
  image !== null && /^https:/i.test(image);

/** First letters of the first two words; a number sign for a title without letters. */
export function initialsOf(title: string): string {
  const words = title.match(/[\p{L}\p{N}]+/gu) ?? ["#"];
  const letters = words.slice(0, LETTERS).map((word) => [...word][0] ?? "");
  return letters.join("").toUpperCase();
}

/**
 * A field that finds channels as one types. The script lists suggestions below it; without the script, a
 * number, `@handle` or link is typed.
 */
export function ChannelPicker({
  label,
  adds,
}: {
  label: string;
  /**
   * Id of the field to which the chosen channel's number is added; without it, this field takes the number,
   * and choosing a channel submits the form.
   */
  adds?: string;
}) {
  const words = useVisit().words.comparePages;
  const isOwn = adds === undefined;
  return (
    <div
      class="picker"
      data-picker={asset("/account/channels/?as=choices&q=")}
      data-adds={adds}
      data-sends={isOwn ? "yes" : undefined}
      data-none={words.noChoice}
      hidden={!isOwn}
    >
      <p class="field">
        <label for="picker">{label}</label>
        <input
          id="picker"
          type="search"
          name={isOwn ? "channels" : undefined}
          autocomplete="off"
          aria-describedby="picker-hint"
        />
        <small id="picker-hint">{words.pickerHint}</small>
      </p>
      <ul class="offered" aria-live="polite" />
    </div>
  );
}
