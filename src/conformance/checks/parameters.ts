import { type Check, check, fieldError, type Kit, Missing, statusOf, unless } from "../check.ts";
import type { ClauseId } from "../clauses.ts";
import { type Endpoint, isFile, MANAGED, nameOf, READS, TOOLS } from "../endpoints.ts";
import { isRequired, kindOf } from "../parameter-kinds.ts";
import { fill, pathTo, requirePlan } from "../sight.ts";

/** Parameters that one part of the specification describes for all methods. */
const CLAUSE_OF: Readonly<Record<string, ClauseId>> = {
  fields: "questions 6",
  cursor: "decisions 1 pages",
  include: "questions 2",
  growth_30d_min: "questions 2",
  reach_30d_min: "questions 2",
  category: "spec 4 booleans",
  territory: "spec 4 booleans",
};

const clauseOf = (endpoint: Endpoint, name: string, type: string): ClauseId =>
  type === "boolean" ? "spec 4 booleans" : (CLAUSE_OF[name] ?? endpoint.clause);

/** The address with one parameter set, and the rest of what the call needs. */
async function withParameter(kit: Kit, endpoint: Endpoint, name: string, value?: string) {
  await requirePlan(kit, endpoint.from);
  const rest = endpoint.query.split("&").filter((part) => !part.startsWith(`${name}=`));
  const own = value === undefined ? [] : [`${name}=${value}`];
  const query = [...rest, ...own].filter((part) => part !== "").join("&");
  return `${await fill(kit, endpoint.path)}?${await fill(kit, query)}`;
}

/** How a value is shown in a title. */
const short = (value: string): string => (value.length > 24 ? `${value.slice(0, 24)}…` : value);

function checksOf(endpoint: Endpoint, name: string, type: string): Check[] {
  const { good, bad } = kindOf(type);
  const clause = clauseOf(endpoint, name, type);
  const title = (value: string) => `${nameOf(endpoint)}?${name}=${short(value)}`;
  const ask = async (kit: Kit, value?: string) =>
    kit.ask(await withParameter(kit, endpoint, name, value));
  const refused = bad.map(([value, message]) =>
    check(
      value.startsWith("%") ? "decisions 1 values" : clause,
      `${title(value)} is a 400 on ${name}`,
      async (kit) => fieldError(await ask(kit, value), name, message),
    ),
  );
  if (isFile(endpoint)) return refused;
  const taken = good.map(
    (value): Check => ({
      ...{ clause, title: `${title(value)} is taken` },
      run: async (kit) => statusOf(await ask(kit, value), 200),
    }),
  );
  if (isRequired(type)) return [...refused, ...taken];
  const empty: Check = check(
    "decisions 1 values",
    `${title("")} counts as not given`,
    async (kit) => {
      const [answer, without] = [await ask(kit, ""), await ask(kit)];
      // The usage grows with each request.
      if (name === "limit" || endpoint.operation === "me_usage_list") return statusOf(answer, 200);
      const isSame = withoutNext(answer.text) === withoutNext(without.text);
      return statusOf(answer, 200) ?? unless(isSame, "the answer is another than without it");
    },
  );
  return [...refused, ...taken, empty];
}

/** A page's `next` repeats the query, in which an empty parameter may stand. */
const withoutNext = (text: string): string => text.replace(/"next":"[^"]*"/, "");

const ofEndpoints = [...READS, ...MANAGED].flatMap((endpoint) =>
  Object.entries(endpoint.parameters).flatMap(([name, type]) => checksOf(endpoint, name, type)),
);

const onlyFields = (endpoint: Endpoint) => async (kit: Kit) => {
  const whole = (await kit.ask(await pathTo(kit, endpoint))).body;
  const [item] = Array.isArray(whole["results"]) ? whole["results"] : [whole];
  if (item === undefined) throw new Missing("no item to look at");
  const name = Object.keys(item)[0] ?? "";
  const cut = (await kit.ask(await pathTo(kit, endpoint, `fields=${name}`))).body;
  const [first] = Array.isArray(cut["results"]) ? cut["results"] : [cut];
  return unless(Object.keys(first).join() === name, `the fields are ${Object.keys(first)}`);
};

/** Rules of parameters that all methods share. */
const general = TOOLS.flatMap((endpoint): Check[] => {
  const [first] = Object.entries(endpoint.parameters);
  if (first === undefined) return [];
  return [
    check("decisions 1 values", `${nameOf(endpoint)} ignores an unknown parameter`, async (kit) =>
      statusOf(await kit.ask(await pathTo(kit, endpoint, "surplus=%D1%91")), 200),
    ),
    check(
      "decisions 1 values",
      `${nameOf(endpoint)} takes the last of a repeated one`,
      async (kit) =>
        fieldError(
          await kit.ask(await pathTo(kit, endpoint, "fields=id", "fields=no_such_field")),
          "fields",
        ),
    ),
    check(
      "questions 6",
      `${nameOf(endpoint)} answers only the fields asked for`,
      onlyFields(endpoint),
    ),
  ];
});

export const parameterChecks: readonly Check[] = [...ofEndpoints, ...general];
