/** @jsxImportSource hono/jsx */
import { asset } from "../visit/site-path.ts";
import { useVisit } from "../visit/use-visit.ts";
import { Avatar } from "./avatar.tsx";

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
