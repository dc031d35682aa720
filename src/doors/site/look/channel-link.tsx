/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { asset } from "../visit/site-path.ts";
import type { Visit } from "../visit/visit.ts";
import { Avatar } from "./avatar.tsx";

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
  /** Address of its picture. */
  image: string | null;
}): JSX.Element {
  const name = title.trim() === "" ? visit.words.explorerPages.noTitle : title.trim();
  return (
    <span class="named-channel">
      <Avatar visit={visit} id={id} title={name} image={image} />
      <a href={asset(visit, `/account/channels/${id}/`)}>
        <bdi>{name}</bdi>
      </a>
    </span>
  );
}
