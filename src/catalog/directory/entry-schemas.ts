import {
  choiceSchema,
  countSchema,
  integerSchema,
  nullable,
  objectSchema,
  textSchema,
} from "../../values/schema.ts";
import { TERRITORY_KINDS } from "./directory.table.ts";

export const categorySchema = objectSchema(
  {
    id: integerSchema({ description: "Category number" }),
    slug: textSchema({ description: "Code, for the catalog's filter `category`" }),
    name: textSchema({ description: "Name in Russian" }),
    channels: countSchema("Public channels and chats in the category, recounted nightly"),
    image: nullable(textSchema({ description: "Address of a WebP image of up to 500 pixels" })),
  },
  "Category",
);

export const territorySchema = objectSchema(
  {
    id: integerSchema({ description: "Node number" }),
    slug: textSchema({ description: "Code, for the catalog's filter `territory`" }),
    name: textSchema({ description: "Name in Russian" }),
    kind: choiceSchema(TERRITORY_KINDS, {
      description: "Level of the tree; `district` is a federal district",
    }),
    parent: nullable(textSchema({ description: "Code of the parent; null for a country" })),
    path: textSchema({ description: "Codes from the country down to this node, separated by `/`" }),
    channels: countSchema("Public channels and chats in the node and below it, recounted nightly"),
  },
  "Territory",
);
