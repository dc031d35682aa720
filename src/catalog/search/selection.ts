import {
  countSchema,
  integerSchema,
  listSchema,
  nullable,
  objectSchema,
  textSchema,
  type ValueOf,
} from "../../values/schema.ts";

const shareSchema = (entry: string) =>
  objectSchema({
    slug: textSchema({ description: `Code of the ${entry}` }),
    channels: countSchema("Channels of the selection in it"),
    subscribers: countSchema("Their total subscribers"),
  });

export const selectionSchema = objectSchema(
  {
    channels: countSchema("Channels that match"),
    subscribers: objectSchema({
      sum: countSchema("Total subscribers"),
      median: nullable(countSchema("Median of the subscribers; null if no channel matches")),
      deciles: listSchema(integerSchema(), {
        description: "The nine deciles of the subscribers; empty if no channel matches",
      }),
    }),
    categories: listSchema(shareSchema("category"), {
      description: "Primary and additional categories, those with most channels first",
    }),
    territories: listSchema(shareSchema("territory"), {
      description: "Territories, each with those below it, those with most channels first",
    }),
  },
  "Selection",
);

export type SelectionView = ValueOf<typeof selectionSchema>;
