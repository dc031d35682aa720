import { type ImportKindName, importKinds } from "../../../catalog/imports/kinds/import-kinds.ts";
import type { WrittenRow } from "../../../catalog/imports/writing/write-rows.ts";
import type { PostRecord } from "../../../catalog/posts/post.ts";
import { type Read, shortened, typeName } from "../../../values/fields.ts";
import { inEnglish, message } from "../../../values/messages/messages.ts";
import { formatInstant } from "../../../values/moscow-time.ts";
import * as shape from "../../../values/schema.ts";
import { takesJson } from "../../../values/takes.ts";
import { inBody, integerList, type Parameter, parameter, required } from "../../parameters.ts";
import { type Resource, type Row, resource, type Verb, verb } from "../resource.ts";

/** Rows that programs push: what a crawler of the operator's own calls. */

const ROWS_MAX = 1_000;
/** Room for a thousand posts of 1,300 Cyrillic letters as Python escapes them, six bytes each. */
const BODY_BYTES_MAX = 8 * 1024 ** 2;
/** More than all columns of a thousand posts have. */
const MEMBERS_MAX = 32 * ROWS_MAX;

const faultSchema = shape.object({
  field: shape.nullable(shape.text("Null if it is the whole row")),
  reason: shape.text(),
});

const pushedSchema = shape.object(
  {
    accepted: shape.count("Rows that were added or changed something"),
    unchanged: shape.count("Rows that said nothing new"),
    kept_out: shape.count("Rows of channels that were deleted or merged, which changed nothing"),
    rejected: shape.count("Rows that were left out; the others are in"),
    rows: shape.list(
      shape.object({
        row: shape.count("Place among the rows sent, from 0"),
        result: shape.choice(["accepted", "unchanged", "kept_out", "rejected"], {}),
        faults: shape.list(
          faultSchema,
          "Why it was rejected, or which optional fields were left out of it, and why",
        ),
      }),
    ),
  },
  "Pushed",
);

/** `POST /operator/v1/posts/`: takes rows with the columns of an import. */
export function pushVerb(kind: ImportKindName): Verb {
  return verb({
    name: "push",
    on: "none",
    title: `add and change up to ${ROWS_MAX} rows of ${kind} in one transaction, with an answer for each`,
    args: { rows: required(inBody(rowsParameter(kind))) },
    takes: takesJson(BODY_BYTES_MAX, MEMBERS_MAX),
    isForPrograms: true,
    result: pushedSchema,
    run: async ({ rows }, { services, by }) =>
      answerOf(await services.pushRows({ kind, rows, request: by.request })),
  });
}

function rowsParameter(kind: ImportKindName): Parameter<readonly unknown[]> {
  const columns = Object.keys(importKinds[kind].columns).join(", ");
  const description = `Rows with columns of \`kanalog import ${kind}\`: ${columns}.`;
  return parameter(
    shape.list(shape.anyObject(), { description, minItems: 1, maxItems: ROWS_MAX }),
    (given): Read<readonly unknown[]> => {
      if (!Array.isArray(given)) return { fault: message("notList", { type: typeName(given) }) };
      if (given.length === 0) return { fault: message("emptyList") };
      return given.length > ROWS_MAX
        ? { fault: message("tooManyItems", { items: ROWS_MAX }) }
        : { value: given };
    },
  );
}

function answerOf(pushed: readonly WrittenRow[]): Row {
  const rows = pushed.map(({ outcome, faults }, row) => ({
    row,
    result: outcome === "inserted" || outcome === "updated" ? "accepted" : outcome,
    faults: faults.map(({ column, fault }) => ({ field: column, reason: inEnglish(fault) })),
  }));
  const count = (result: string) => rows.filter((row) => row.result === result).length;
  return {
    accepted: count("accepted"),
    unchanged: count("unchanged"),
    kept_out: count("kept_out"),
    rejected: count("rejected"),
    rows,
  };
}

/** A kind of rows that is only pushed: what is stored of them is read through the customers' API. */
function pushedResource(kind: ImportKindName, name: string, title: string): Resource {
  const command = `import ${kind}`;
  const verbs = [pushVerb(kind)];
  return resource({ name, command, path: kind, area: "data", title, schema: pushedSchema, verbs });
}

export const categories = pushedResource("categories", "category", "the directory of categories");
export const territories = pushedResource(
  "territories",
  "territory",
  "the directory of territories",
);
export const statistics = pushedResource("stats", "day", "channels' days of statistics");

const POSTS_MAX = 1_000;
/** Posts to list in the question; further ones are only counted. */
const POSTS_SHOWN = 20;
const TEXT_SHOWN = 60;

const deletedSchema = shape.object({ deleted: shape.count("Posts that were taken down") });
const numbers = integerList("The posts' numbers, separated by commas.", {
  example: "17,18",
  itemsMax: POSTS_MAX,
});

export const posts = resource({
  name: "post",
  area: "data",
  title: "individual posts",
  schema: deletedSchema,
  verbs: [
    pushVerb("posts"),
    verb({
      name: "delete",
      on: "none",
      args: { posts: required(numbers) },
      positional: ["posts"],
      title:
        "take posts down: remove text, link and media; only an import with `deleted` false restores them",
      asks({ posts: ids }, { services }) {
        const found = services.posts.posts(ids);
        const lines = found.slice(0, POSTS_SHOWN).map(describe);
        if (found.length > POSTS_SHOWN) lines.push(`… and ${found.length - POSTS_SHOWN} more.`);
        const these = found.length === 1 ? "this post" : `these ${found.length} posts`;
        return [...lines, `This takes ${these} down.`].join("\n");
      },
      async run({ posts: ids }, { services, by }) {
        services.posts.posts(ids);
        return { deleted: await services.posts.delete(ids, by) };
      },
    }),
  ],
});

function describe({ id, channel, published_at, text }: PostRecord): string {
  const start = shortened(text.replace(/\p{Cc}+/gu, " "), TEXT_SHOWN);
  return `post ${id} of channel ${channel}, ${formatInstant(published_at)}: ${start}`;
}
