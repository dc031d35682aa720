import { afterEach, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import { recount } from "../../../src/catalog/directory/recount.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { AppError } from "../../../src/errors.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { answersOf, exported } from "../../support/exporting.ts";
import { importText } from "../../support/import-text.ts";

const CHANNELS = 12;
const HANDLES = ["a", "b", "c", "d", "e"];
const KINDS = ["channels", "posts", "stats"] as const;
const DAY = "2026-11-18";

let source: Appliance;
let copy: Appliance;
beforeEach(async () => {
  [source, copy] = [await startAppliance(), await startAppliance()];
});
afterEach(() => Promise.all([source.close(), copy.close()]));

const id = fc.integer({ min: 1, max: CHANNELS });
const handle = fc.constantFrom(...HANDLES);
const msgr_post_id = fc.integer({ min: 1, max: 9 });
const media = fc.constantFrom(null, [], ["photo"]);
const published_at = fc.constant(`${DAY}T10:00:00Z`);
const text = handle.map((name) => `Смотрите @${name}`);

/** A random change of a catalog: an imported row, or a channel that is merged or deleted. */
const change = fc.oneof(
  ...[
    { weight: 4, row: fc.record({ id, handle }) },
    { weight: 1, row: fc.record({ id, is_public: fc.boolean() }) },
    { weight: 1, row: handle.map((of) => ({ handle: of, title: "Новый", subscribers: 1 })) },
  ].map(({ weight, row }) => ({
    weight,
    arbitrary: fc.record({ kind: fc.constant("channels" as const), row }),
  })),
  ...[
    {
      weight: 6,
      row: fc.record({ channel: id, msgr_post_id, text, media, published_at, forwarded_from: id }),
    },
    {
      weight: 2,
      row: fc.record({ channel: id, msgr_post_id, deleted: fc.boolean(), published_at }),
    },
  ].map(({ weight, row }) => ({
    weight,
    arbitrary: fc.record({ kind: fc.constant("posts" as const), row }),
  })),
  { weight: 1, arbitrary: fc.record({ removed: id, into: fc.option(id) }) },
);

async function apply(step: typeof change extends fc.Arbitrary<infer Step> ? Step : never) {
  for (const { ports } of [source, copy]) ports.clock.advance(1_000);
  if ("kind" in step) {
    // A row about a removed channel is rejected.
    await source.importRows(step.kind, [step.row]);
    return;
  }
  const { channels } = source.app.domains;
  const { removed, into } = step;
  try {
    if (into === null) await channels.delete(removed, COMMAND_LINE);
    else await channels.merge(removed, into, COMMAND_LINE);
  } catch (error) {
    // A channel that is already removed, or merged into itself.
    if (!(error instanceof AppError)) throw error;
  }
}

test.each([["csv"], ["ndjson"]] as const)(
  "a copy of a catalog with a history gives the same answers and the same export: %s",
  async (format) => {
    const property = fc.asyncProperty(
      fc.array(change, { minLength: 80, maxLength: 80 }),
      async (steps) => {
        const numbers = Array.from({ length: CHANNELS }, (_, at) => at + 1);
        await imported(
          source,
          "channels",
          numbers.map((of) => channel(of)),
        );
        for (const step of steps) await apply(step);
        for (const kind of KINDS) {
          const file = await exported(source, { kind, format });
          const { rejects, warnings } = await importText(copy, kind, file, { format });
          expect({ rejects, warnings }).toEqual({ rejects: [], warnings: [] });
          expect(await exported(copy, { kind, format })).toBe(file);
        }
        for (const { app, ports } of [source, copy]) await recount(app.domains.db, ports.clock);
        const paths = [
          ...HANDLES.map((name) => `channels/${name}/`),
          ...numbers.flatMap((of) => [
            ...[`channels/${of}/`, `channels/${of}/posts/`, `channels/${of}/mentions/`],
            `stats/daily/?channels=${of}&from=${DAY}&to=${DAY}`,
          ]),
          "channels/",
        ];
        for (const path of paths) {
          expect(await answersOf(copy, path), path).toEqual(await answersOf(source, path));
        }
        // New channels and posts get the same numbers too.
        const next = channel(0, { id: null, handle: "next" });
        const post = { channel: "@next", published_at: `${DAY}T10:00:00Z`, msgr_post_id: 1 };
        for (const appliance of [source, copy]) {
          await imported(appliance, "channels", [next]);
          await imported(appliance, "posts", [post]);
        }
        for (const kind of ["channels", "posts"] as const) {
          expect(await exported(copy, { kind })).toBe(await exported(source, { kind }));
        }
      },
    );
    // A single run without shrinking, because an appliance can be filled only once.
    await fc.assert(property, { numRuns: 1, endOnFailure: true });
  },
);
