/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { asset } from "../visit/site-path.ts";
import type { Visit } from "../visit/visit.ts";
import { Avatar } from "./avatar.tsx";

/** A channel's title, trimmed; a text in its place if it has none. */
export function titleOf({ words }: Visit, { title }: { title: string }): string {
  return title.trim() === "" ? words.explorerPages.noTitle : title.trim();
}

/** A channel in a list: its picture, and its title linked to its page. */
export function ChannelLink({
  visit,
  id,
  title,
  image,
}: {
  visit: Visit;
  id: number;
  title: string;
  /** Address of its picture; none for a channel that was hidden meanwhile. */
  image: string | null | undefined;
}): JSX.Element {
  const name = titleOf(visit, { title });
  return (
    <span class="named-channel">
      <Avatar visit={visit} id={id} title={name} image={image ?? null} />
      <a href={asset(visit, `/account/channels/${id}/`)}>
        <bdi>{name}</bdi>
      </a>
    </span>
  );
}
