import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import { LANGUAGES, type Language } from "../../../values/language.ts";
import { hasExport } from "../../../verbs/plan-rules.ts";
import { WORDS, type Words } from "../../../words/words.ts";
import { PROSE_POLICY, type PublicRoutes, pageResponse } from "../public-routes.ts";
import { type Docs, framedPage, PROSE_STYLES } from "./frame.ts";
import { cachedByReader, readersLanguage } from "./readers-language.ts";

/** Tables whose rows the page shows. */
export const COUNTED_TABLES: readonly string[] = Object.keys(WORDS.en.startPage.counted);

/** Facts about the data and the plans that the page shows. */
export interface StartFacts {
  /** Row counts by table; null if they could not be counted. @property isMore there are more than `rows` */
  tables: readonly { name: string; rows: number; isMore: boolean }[] | null;
  categories: readonly { name: string; channels: number }[];
  plans: readonly Plan[];
  /** Whether visitors may create accounts. */
  maySignUp: boolean;
}

const CATEGORIES_SHOWN = 12;

/** `/`: what this appliance is, its data and plans, and where to go next. */
export function startPageRoutes(docs: Docs, facts: () => Promise<StartFacts>): PublicRoutes {
  return {
    "/": async (request) => {
      const { language, query } = readersLanguage(request);
      const page = framedPage({
        ...docs,
        ...{ title: "", language, query, root: "./", current: null, languages: LANGUAGES },
        styles: PROSE_STYLES,
        body: bodyOf(language, docs.brand, await facts()),
      });
      return cachedByReader(pageResponse(page, PROSE_POLICY), 60);
    },
  };
}

function bodyOf(language: Language, brand: string, facts: StartFacts): string {
  const { locale, planNames, startPage: words } = WORDS[language];
  const format = new Intl.NumberFormat(locale);
  const counted = Object.entries(words.counted).map(([table, label]) => {
    const found = facts.tables?.find(({ name }) => name === table);
    if (found === undefined) return "";
    const more = found.isMore ? `${words.moreThan} ` : "";
    return `<li>${label} <strong>${more}${format.format(found.rows)}</strong></li>`;
  });
  return `<h1>${Bun.escapeHTML(brand)}</h1>
<p>${words.intro}</p>
${facts.maySignUp ? `<p><a class="button" href="account/sign-up/">${words.signUp}</a></p>` : ""}
<h2>${words.data}</h2>
<ul class="cards">
${counted.join("\n")}
</ul>
${categoriesTable(facts.categories, words, format)}
<h2>${words.plans}</h2>
${plansTable(facts.plans, planNames, words, format)}
<h2>${words.whereTo}</h2>
<ul>
${words.links.map(({ path, name, text }) => `<li><a href="${path}">${name}</a>: ${text}</li>`).join("\n")}
</ul>`;
}

function categoriesTable(
  categories: StartFacts["categories"],
  words: Words["startPage"],
  { format }: Intl.NumberFormat,
): string {
  const rows = categories
    .filter(({ channels }) => channels > 0)
    .toSorted((a, b) => b.channels - a.channels)
    .slice(0, CATEGORIES_SHOWN)
    .map(({ name, channels }) => {
      const head = `<th scope="row">${Bun.escapeHTML(name)}</th>`;
      return `<tr>${head}<td class="number">${format(channels)}</td></tr>`;
    });
  const number = `<th scope="col" class="number">${words.counted.channels}</th>`;
  const heads = `<th scope="col">${words.categories}</th>${number}`;
  return rows.length === 0 ? "" : tableOf(words.categories, "largest", heads, rows);
}

/** Columns after the plan's name that contain numbers, aligned at the right. */
const NUMBERS = [0, 1, 5];
const numberClass = (column: number): string => (NUMBERS.includes(column) ? ' class="number"' : "");

function plansTable(
  plans: readonly Plan[],
  planNames: Words["planNames"],
  words: Words["startPage"],
  { format }: Intl.NumberFormat,
): string {
  const heads = words.planColumns;
  const rows = plans.map((plan) => {
    const { historyDays, webhooks, webhookChannels, alerts } = plan;
    const cells = [
      format(plan.requestsPerSecond),
      format(plan.requestsPerPeriod),
      plan.posts ? words.yes : words.no,
      historyDays === null ? words.allDays : words.lastDays(historyDays),
      webhooks === 0 ? words.none : `${webhooks} × ${format(webhookChannels)} ${words.channels}`,
      alerts === 0 ? words.none : format(alerts),
      hasExport(plan) ? words.yes : words.no,
    ].map((cell, at) => `<td${numberClass(at)} data-label="${heads[at + 1]}">${cell}</td>`);
    return `<tr><th scope="row">${planNames[plan.code]}</th>${cells.join("")}</tr>`;
  });
  const columns = heads
    .map((head, at) => `<th scope="col"${numberClass(at - 1)}>${head}</th>`)
    .join("");
  return tableOf(words.plans, "named", columns, rows);
}

/** A table in a box that can be scrolled by keyboard. */
function tableOf(label: string, kind: string, heads: string, rows: readonly string[]): string {
  return `<section class="scroll" role="group" tabindex="0" aria-label="${label}"><table class="${kind}">
<thead><tr>${heads}</tr></thead>
<tbody>
${rows.join("\n")}
</tbody></table></section>`;
}
