import type { Check, Json, Kit } from "../check.ts";
import { check, differs, each, fieldError, isObject, Missing, statusOf, unless } from "../check.ts";
import { METRIC_ORDERINGS, ORDERINGS } from "../endpoints.ts";
import { fill, listed, requirePlan } from "../sight.ts";

/** A list that is read by pages: its address without `limit`, and the order that its items must be in. */
interface Paged {
  path: string;
  from: "test" | "start";
  clause: Check["clause"];
  /** What an item is ordered by, the greater first; null comes last. */
  value(item: Json): unknown;
  /** Order of items with equal values, by number. */
  ties: "ascending" | "descending" | "any";
}

const field =
  (name: string) =>
  (item: Json): unknown =>
    item[name];
const metric =
  (name: string) =>
  ({ metrics }: Json): unknown =>
    isObject(metrics) ? metrics[name] : null;
const catalogBy = (ordering: string, value: Paged["value"], clause: Paged["clause"]): Paged => ({
  ...{ path: `/v1/msgr/channels/?ordering=${ordering}&include=metrics`, from: "test" },
  ...{ clause, value, ties: "ascending" },
});
const NEWEST = { from: "start", value: field("published_at"), ties: "descending" } as const;

const LISTS: readonly Paged[] = [
  ...ORDERINGS.map((name) => catalogBy(name, field(name.slice(1)), "spec 4 catalog")),
  ...METRIC_ORDERINGS.map((name) => catalogBy(name, metric(name.slice(1)), "questions 2")),
  { path: "/v1/msgr/channels/{posting}/posts/?", clause: "spec 4 posts", ...NEWEST },
  { path: "/v1/msgr/posts/search/?q={word}", clause: "questions 1", ...NEWEST },
  {
    ...{ path: "/v1/msgr/posts/search/?q={word}&ordering=-views", from: "start" },
    ...{ clause: "questions 1", value: field("views"), ties: "any" },
  },
  { path: "/v1/msgr/channels/{channel}/mentions/?", clause: "questions 3", ...NEWEST },
];

const numbersOf = (items: readonly Json[]): unknown[] => items.map(({ id }) => id);

async function firstPage(kit: Kit, { path, from }: Paged, limit: number) {
  await requirePlan(kit, from);
  const at = `${await fill(kit, path)}&limit=${limit}`;
  const items = await listed(kit, at);
  return { at, items, next: (await kit.ask(at)).body["next"] };
}

/** The address of the second page of two. @throws Missing */
async function nextOf(kit: Kit, list: Paged): Promise<{ at: string; next: URL }> {
  const { at, next } = await firstPage(kit, list, 2);
  if (next === null) throw new Missing("the list has one page");
  return { at, next: new URL(String(next)) };
}

/** The first items that are not in the order of the list. */
function orderFault(list: Paged, items: readonly Json[]): string | null {
  return each(
    items.slice(1).map((item, index) => [items[index] ?? {}, item] as const),
    ([one, other]) => {
      const [first, second] = [list.value(one), list.value(other)];
      const pair = `${String(first)} (${one["id"]}) comes before ${String(second)} (${other["id"]})`;
      if (second === null) {
        return first === null ? tieFault(list, one, other) : null;
      }
      if (first === null) return pair;
      if (first === second) return tieFault(list, one, other);
      return unless((first as number | string) > (second as number | string), pair);
    },
  );
}

const tieFault = ({ ties }: Paged, { id: one }: Json, { id: other }: Json): string | null =>
  unless(
    ties === "any" ||
      (ties === "ascending" ? Number(one) < Number(other) : Number(one) > Number(other)),
    `with equal values ${one} comes before ${other}`,
  );

const laws = LISTS.flatMap((list): Check[] => [
  check(list.clause, `${list.path} is in its order`, async (kit) =>
    orderFault(list, (await firstPage(kit, list, 100)).items),
  ),
  check("spec 2 envelope", `${list.path} has a next only after a full page`, async (kit) => {
    const { items, next } = await firstPage(kit, list, 2);
    return (
      unless(items.length <= 2, `${items.length} items with limit=2`) ??
      unless(next === null || items.length === 2, "a next after a page that is not full")
    );
  }),
  check(
    "decisions 1 pages",
    `${list.path} read by pages of 2 is what one page shows`,
    async (kit) => {
      const whole = await firstPage(kit, list, 8);
      const { items, next } = await firstPage(kit, list, 2);
      const seen = [...items];
      for (let at = next; typeof at === "string" && seen.length < 8; ) {
        const page = await kit.ask(at);
        const wrong = statusOf(page, 200);
        if (wrong !== null) return wrong;
        seen.push(...(await listed(kit, at)));
        at = page.body["next"];
      }
      return differs("what the pages show", numbersOf(seen), numbersOf(whole.items));
    },
  ),
  check(
    "decisions 1 pages",
    `${list.path}: next is absolute and keeps every filter`,
    async (kit) => {
      const { at, next } = await nextOf(kit, list);
      const asked = new URL(kit.base + at);
      return (
        differs("its address", next.origin + next.pathname, asked.origin + asked.pathname) ??
        each(asked.searchParams, ([name, value]) =>
          differs(name, next.searchParams.get(name), value),
        ) ??
        unless(next.searchParams.has("cursor"), "no cursor")
      );
    },
  ),
  check(
    "decisions 1 pages",
    `${list.path}: a cursor that was tampered with is a 400`,
    async (kit) => {
      const { next } = await nextOf(kit, list);
      const cursor = next.searchParams.get("cursor") ?? "";
      const other = cursor[4] === "x" ? "y" : "x";
      next.searchParams.set("cursor", `${cursor.slice(0, 4)}${other}${cursor.slice(5)}`);
      return fieldError(await kit.ask(next.pathname + next.search), "cursor", "Invalid cursor.");
    },
  ),
  check("mcp tools", `${list.path}: a cursor alone continues its list`, async (kit) => {
    const { next } = await nextOf(kit, list);
    const cursor = next.searchParams.get("cursor") ?? "";
    const alone = await kit.ask(`${next.pathname}?cursor=${encodeURIComponent(cursor)}`);
    const page = await kit.ask(next.pathname + next.search);
    return statusOf(alone, 200) ?? differs("the page", alone.body["results"], page.body["results"]);
  }),
  check(
    "mcp tools",
    `${list.path}: a filter beside a cursor of another list is a 400`,
    async (kit) => {
      const { next } = await nextOf(kit, list);
      next.searchParams.set("from", "2001-01-01");
      next.searchParams.set("subscribers_min", "7");
      return fieldError(await kit.ask(next.pathname + next.search), "cursor");
    },
  ),
]);

const otherOrdering: Check = check(
  "decisions 1 pages",
  "a cursor of another ordering is a 400",
  async (kit) => {
    const { next } = await nextOf(
      kit,
      catalogBy("-subscribers", () => null, "spec 4 catalog"),
    );
    next.searchParams.set("ordering", "-quality");
    return fieldError(await kit.ask(next.pathname + next.search), "cursor");
  },
);

const pageSizes: readonly Check[] = [
  ["/v1/msgr/channels/", "decisions 3 catalog"],
  ["/v1/msgr/channels/{posting}/posts/", "spec 8 limits"],
].map(([path = "", clause]) =>
  check(clause as Check["clause"], `${path} has pages of 50 by default`, async (kit) => {
    if (path.includes("posts")) await requirePlan(kit, "start");
    const at = await fill(kit, path);
    const [usual, fifty] = [await kit.ask(at), await kit.ask(`${at}?limit=50`)];
    return differs("the page", usual.body["results"], fifty.body["results"]);
  }),
);

export const pageChecks: readonly Check[] = [...laws, otherOrdering, ...pageSizes];
