import type { Documented } from "../../../verbs/method.ts";
import { resources } from "../../../verbs/operator/resources.ts";
import introduction from "./introduction.md" with { type: "text" };

export const SECURITY_SCHEME = "apiKey";

/** One of the two APIs, as its document introduces it. */
export interface Book {
  title: string;
  introduction: string;
  /** Tags in page order, each with a sentence about its operations. */
  tags: Readonly<Record<string, string>>;
  /** How its keys begin. */
  keys: string;
  /** Whether it sends events to webhooks, which the document describes too. */
  hasEvents: boolean;
}

const TAGS = {
  Account: "The key, its organization, the plan and the usage.",
  Directories: "Codes for the catalog's filters.",
  Channels: "The catalog, and the card of one channel.",
  Statistics: "Subscribers, views and posts by day.",
  Posts: "Posts of a channel, from the Start plan.",
  Export: "Whole selections as files, from the Profi plan.",
  Webhooks:
    "New posts sent to your server, from the Growth plan. What is sent is described at the end; [a guide](http://127.0.0.1:8080/docs/webhooks/) has code that verifies it.",
  Alerts:
    "Words to search for in all channels' new posts, from the Growth plan. Posts that match are sent to a webhook.",
  Lists:
    "Searches of the catalog saved under names. They belong to the key's member, not to the organization: all keys of " +
    "one member and their pages on the site show the same lists, and any read-and-write key of theirs changes them.",
};

/** The customers' API. */
export const CHANNEL_DATA: Book = {
  title: "Kanalog: Channel Data API",
  introduction,
  tags: TAGS,
  keys: "`knl_ro_…` or `knl_rw_…`",
  hasEvents: true,
};

/** The operator's API. */
export const OPERATOR: Book = {
  title: "Kanalog: Operator API",
  introduction:
    "For the operator's own programs. Keys are made by `kanalog staff key create`. Errors, pages, " +
    "cursors and `fields` are those of the customers' API. A POST with an `Idempotency-Key`, repeated " +
    "within a day, is carried out once and gets the same answer.",
  tags: Object.fromEntries(
    resources.map(({ title, command }) => [title, `In a terminal: \`kanalog ${command}\`.`]),
  ),
  keys: "`knl_op_…`",
  hasEvents: false,
};

/**
 * Parts of the document that belong to no operation.
 * @param schemas shared schemas, by name
 * @throws Error for a method whose tag is not described here
 */
export function documentHead(
  { title, introduction, tags, keys }: Book,
  methods: readonly Documented[],
  schemas: Record<string, object>,
) {
  for (const { tag, operationId } of methods) {
    if (tags[tag] === undefined) throw new Error(`${operationId}: the tag ${tag} is not described`);
  }
  return {
    // 3.1, because its schemas are JSON Schema, in which null is a type.
    openapi: "3.1.0",
    info: {
      title,
      version: "1",
      description: introduction,
      license: { name: "MIT", identifier: "MIT" },
    },
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    components: {
      schemas,
      securitySchemes: {
        [SECURITY_SCHEME]: {
          type: "http" as const,
          scheme: "bearer",
          description: `An API key, ${keys}`,
        },
      },
      headers: {
        "X-Request-Id": {
          description: "The caller's own id if it sent one, else a UUIDv7",
          schema: { type: "string" as const },
        },
        "X-Request-Cost": {
          description: "Units this request cost",
          schema: { type: "integer" as const },
        },
        "RateLimit-Policy": {
          description:
            "Requests per second and units per period that the plan allows, such as " +
            '`"rate";q=5;w=1, "quota";q=30000;w=2592000`',
          schema: { type: "string" as const },
        },
        RateLimit: {
          description:
            "What is left of them, and the seconds until all of it is available again, such as " +
            '`"rate";r=4;t=1, "quota";r=29958;t=1814400`',
          schema: { type: "string" as const },
        },
        "X-Export-Cursor": {
          description: "The columns that a cursor consists of, separated by colons",
          schema: { type: "string" as const },
        },
        "Retry-After": {
          description: "Seconds to wait",
          schema: { type: "integer" as const, minimum: 1 },
        },
        "WWW-Authenticate": { schema: { type: "string" as const } },
      },
    },
  };
}

/** Headers of every answer to a valid key. */
export const LIMIT_HEADERS = ["X-Request-Cost", "RateLimit-Policy", "RateLimit"];

/** References to headers defined in the components. */
export function headersOf(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
