import type { Check, Json } from "../check.ts";
import { check, differs, each, Missing, objectsIn, refusal, unless } from "../check.ts";
import { METRIC_ORDERINGS } from "../endpoints.ts";
import { listed, look, planOf, requirePlan } from "../sight.ts";
import { answer, every, refused, results, same, taken } from "./answers.ts";

const ROWS = "/v1/msgr/stats/daily/";
const COMPARE = "/v1/msgr/channels/compare/";
const TERRITORIES = "/v1/msgr/territories/";
const LEVELS = ["country", "district", "region", "city"];
const CARDS = "/v1/msgr/channels/?limit=100";

/** A node's parent among all nodes. */
const above = ({ parent }: Json, nodes: readonly Json[]): Json | undefined =>
  nodes.find(({ slug }) => slug === parent);
const level = ({ kind }: Json): number => LEVELS.indexOf(String(kind));

const subset = (query: string, holds: (node: Json, nodes: readonly Json[]) => boolean): Check =>
  check(
    query.includes("&") ? "decisions 3 territories" : "spec 4 territories",
    `${query} answers such nodes, all of them, in order`,
    async (kit) => {
      const all = await listed(kit, TERRITORIES);
      const found = (await look(kit, `${TERRITORIES}?${query}`)).body["results"];
      return differs(
        "the nodes",
        found,
        all.filter((node) => holds(node, all)),
      );
    },
  );

const territories: readonly Check[] = [
  ...LEVELS.map((kind) => subset(`kind=${kind}`, (node) => node["kind"] === kind)),
  subset(
    "parent={inner}",
    ({ parent }, all) => parent === all.find((one) => one["parent"])?.["parent"],
  ),
  subset("parent={inner}&kind=country", () => false),
  every("spec 2 territory", TERRITORIES, "it comes after its parent", (node, all) => {
    const isAfter =
      node["parent"] === null ||
      all.findIndex(({ slug }) => slug === node["parent"]) < all.indexOf(node);
    return unless(
      isAfter && (node["parent"] === null || above(node, all) !== undefined),
      String(node["slug"]),
    );
  }),
  every(
    "spec 2 territory",
    TERRITORIES,
    "its path is its parent's path and its code",
    (node, all) => {
      const parent = above(node, all);
      return differs(
        "path",
        node["path"],
        parent === undefined ? node["slug"] : `${parent["path"]}/${node["slug"]}`,
      );
    },
  ),
  every("spec 2 territory", TERRITORIES, "a country has no parent, others have", (node) =>
    unless((level(node) === 0) === (node["parent"] === null), String(node["slug"])),
  ),
  every("spec 2 territory", TERRITORIES, "its level is below its parent's", (node, all) =>
    unless(level(node) > level(above(node, all) ?? {}), String(node["slug"])),
  ),
  every("spec 2 territory", TERRITORIES, "it counts its children's channels too", (node, all) => {
    const children = all.filter(({ parent }) => parent === node["slug"]);
    const sum = children.reduce((total, { channels }) => total + Number(channels), 0);
    return unless(
      Number(node["channels"]) >= sum,
      `${node["slug"]}: ${node["channels"]} of ${sum}`,
    );
  }),
];

/** Checks that look back further than Test allows. */
const ofHistory = (checks: Check[]): Check[] =>
  checks.map((one) => ({
    ...one,
    async run(kit) {
      await requirePlan(kit, "start");
      return one.run(kit);
    },
  }));

const statistics: readonly Check[] = [
  same(
    "spec 4 statistics",
    `${ROWS}?channels={channel}`,
    `${ROWS}?channels={channel}&from={-29}&to={-0}`,
  ),
  same(
    "decisions 3 statistics",
    `${ROWS}?channels={channel}&from={-29}`,
    `${ROWS}?channels={channel}`,
  ),
  same(
    "decisions 3 statistics",
    `${ROWS}?channels=999999999999,{channel}`,
    `${ROWS}?channels={channel}`,
  ),
  same("spec 4 me", "/v1/me/?unknown=1", "/v1/me/", (body) => body["organization"]),
  same("spec 4 categories", "/v1/msgr/categories/?unknown=1", "/v1/msgr/categories/", results),
  answer(
    "decisions 3 statistics",
    `${ROWS}?channels={three}`,
    "by the order of channels, then by day",
    ({ body, asked }) => {
      const ids = asked.replace(/^.*=/, "").split(",");
      const keys = objectsIn(body["results"]).map(
        ({ channel, day }) => `${ids.indexOf(String(channel))} ${day}`,
      );
      return differs("the order", keys, [...new Set(keys)].sort());
    },
  ),
  answer("questions 2", `${COMPARE}?channels={three}`, "in the order asked", ({ body, asked }) =>
    differs(
      "channels",
      objectsIn(body["results"])
        .map(({ channel }) => channel)
        .join(),
      asked.replace(/^.*=/, ""),
    ),
  ),
  answer(
    "questions 2",
    "/v1/msgr/channels/stats/",
    "nine deciles, and categories by number of channels",
    ({ body }) => {
      const { deciles } = body["subscribers"] as { deciles: number[] };
      const sizes = objectsIn(body["categories"]).map(({ channels }) => Number(channels));
      return (
        differs("deciles", deciles.length, 9) ??
        differs(
          "the order",
          sizes,
          [...sizes].sort((a, b) => b - a),
        )
      );
    },
  ),
  answer(
    "questions 2",
    "/v1/msgr/channels/{channel}/",
    "no metrics unless they are asked for",
    ({ body }) => unless(!Object.hasOwn(body, "metrics"), "they stand in the card"),
  ),
  answer(
    "questions 6",
    "/v1/msgr/channels/{channel}/?fields=id&include=metrics",
    "fields with include are these and the included",
    ({ body }) => differs("the fields", Object.keys(body), ["id", "metrics"]),
  ),
  every(
    "questions 2",
    `${COMPARE}?channels={three}`,
    "growth is the last less the first reading",
    ({ growth, subscribers_last: last, subscribers_first: first }) =>
      last === null || first === null
        ? null
        : differs("growth", growth, Number(last) - Number(first)),
  ),
  every(
    "living-data amendments",
    CARDS,
    "at most 20 former handles",
    ({ id, former_handles: former }) => unless((former as unknown[]).length <= 20, String(id)),
  ),
  ...METRIC_ORDERINGS.map((ordering) =>
    check(
      "questions 12",
      `${ordering} leaves out who was not read, and says how many`,
      async (kit) => {
        const { body } = await look(kit, `${CARDS}&ordering=${ordering}&include=metrics`);
        return (
          unless(/\d.*\d/s.test(String(body["note"])), "no days and number in a note") ??
          each(objectsIn(body["results"]), ({ id, metrics }) =>
            unless((metrics as Json)["statistics_until"] !== null, `${String(id)} has no reading`),
          )
        );
      },
    ),
  ),
  check(
    "decisions 3 statistics",
    "both ends of a period are included, and a day has one row",
    async (kit) => {
      const [row] = await listed(kit, `${ROWS}?channels={channel}`);
      const day = String(row?.["day"]);
      return differs(
        "the rows",
        await listed(kit, `${ROWS}?channels={channel}&from=${day}&to=${day}`),
        [row],
      );
    },
  ),
  check(
    "decisions 3 statistics",
    "on Test, history before 30 days is tariff_required",
    async (kit) => {
      if ((await planOf(kit)) !== "test") throw new Missing("the key's plan is not test");
      return refusal(await look(kit, `${ROWS}?channels=1&from={-40}`), 403, "tariff_required");
    },
  ),
  refused("decisions 3 statistics", `${ROWS}?channels={channel}&from={-1}&to={-2}`, 400, "to"),
  refused("questions 2", `${COMPARE}?channels={channel}&from={-1}&to={-2}`, 400, "to"),
  refused("questions 2", `${COMPARE}?channels={1..21}`, 400, "channels"),
  ...ofHistory([
    taken("spec 8 limits", `${ROWS}?channels={channel}&from={-365}&to={-0}`),
    taken("spec 8 limits", `${ROWS}?channels={1..100}&from={-99}&to={-0}`),
    refused("spec 8 limits", `${ROWS}?channels={channel}&from={-366}&to={-0}`, 400, "to"),
    refused("spec 8 limits", `${ROWS}?channels={1..100}&from={-100}&to={-0}`, 400, "channels"),
    refused("spec 8 limits", `${ROWS}?channels={1..101}`, 400, "channels"),
  ]),
];

export const dayChecks: readonly Check[] = [...territories, ...statistics];
