/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { sourcePictures } from "../../../../catalog/sources/pictures/pictures.ts";
import { asset } from "../../visit/site-path.ts";
import type { Visit } from "../../visit/visit.ts";

/** A drawing from the guide. It adds nothing to the steps above it, so it needs no alternative text. */
export function BotPicture({ visit, name }: { visit: Visit; name: string }): JSX.Element {
  const translated = `${name}.${visit.language}.svg`;
  const file = translated in sourcePictures ? translated : `${name}.svg`;
  return <img class="picture" src={asset(visit, `/docs/pictures/${file}`)} alt="" />;
}
