import { IMAGE_PATH } from "../../catalog/directory/category-images.ts";
import { TERRITORY_KINDS } from "../../catalog/directory/directory.table.ts";
import { categorySchema, territorySchema } from "../../catalog/directory/directory.ts";
import { fieldError } from "../../errors.ts";
import { unknownSlug } from "../../values/fields.ts";
import * as shape from "../../values/schema.ts";
import { apiMethod } from "../method.ts";
import { listOf } from "../paging.ts";
import { choice, fieldsOf, text } from "../parameters.ts";

export const categoriesList = apiMethod({
  operationId: "msgr_categories_list",
  path: "/v1/msgr/categories/",
  tag: "Directories",
  title: "Category directory",
  description: "All categories in directory order. Their codes go into the catalog's `category`.",
  tool:
    "Categories of {messenger} channels with codes (`slug`), Russian names and numbers of channels. An entry is " +
    "about 75 characters.",
  units: 0,
  parameters: fieldsOf(categorySchema),
  result: listOf(categorySchema),
  run(_args, { services, ownUrl }) {
    const addressOf = (image: string | null): string | null =>
      image?.startsWith(IMAGE_PATH) ? ownUrl(image) : image;
    const results = services.directory.categories().map((category) => {
      return shape.pick(categorySchema, { ...category, image: addressOf(category.image) });
    });
    return { results };
  },
});

export const territoriesList = apiMethod({
  operationId: "msgr_territories_list",
  path: "/v1/msgr/territories/",
  tag: "Directories",
  title: "Territory directory",
  description:
    "The tree of territories: country, federal district, region, city; parents come before their " +
    "children. Their codes go into the catalog's `territory`.",
  tool:
    "Territories of {messenger} channels, a tree with codes (`slug`) and Russian names; without arguments the " +
    "regions. A node is about 155 characters (with `fields` slug,name about 40), `kind` city some 170,000.",
  units: 0,
  parameters: {
    kind: choice(TERRITORY_KINDS, "Only nodes of this level."),
    parent: text("Code of a node; only its direct children.", { example: "russia" }),
    ...fieldsOf(territorySchema),
  },
  toolDefaults: {
    args: { kind: "region" },
    unless: ["parent"],
    note: "Only regions: `parent` gives what is below a node, `kind` another level.",
  },
  result: listOf(territorySchema),
  run({ kind, parent }, { services: { directory } }) {
    if (parent !== undefined && directory.territoryId(parent) === null) {
      throw fieldError({ parent: [unknownSlug(parent)] });
    }
    const territories = directory.territories({ ...(kind && { kind }), ...(parent && { parent }) });
    return { results: territories.map((territory) => shape.pick(territorySchema, territory)) };
  },
});
