/** @jsxImportSource hono/jsx */
import { sourcePictures } from "../../../../catalog/sources/pictures/pictures.ts";
import { useVisit } from "../../visit/use-visit.ts";
import { asset } from "../../visit/view.ts";

/** A drawing from the guide. It adds nothing to the steps above it, so it needs no alternative text. */
export function BotPicture({ name }: { name: string }) {
  const translated = `${name}.${useVisit().language}.svg`;
  const file = translated in sourcePictures ? translated : `${name}.svg`;
  return <img class="picture" src={asset(`/docs/pictures/${file}`)} alt="" />;
}
