/** @jsxImportSource hono/jsx */

import type { JSX } from "hono/jsx/jsx-runtime";
import type { HtmlEscapedString } from "hono/utils/html";
import { IMPORT_KIND_NAMES } from "../../../../catalog/imports/import-kinds.ts";
import { reasonOf } from "../../../../catalog/imports/tally.ts";
import { BOT_MESSENGERS } from "../../../../catalog/sources/bots.ts";
import { nameOfAddress } from "../../../../catalog/sources/source-address.ts";
import { NAME_LENGTH_MAX } from "../../../../catalog/sources/source-changes.ts";
import { readHeader } from "../../../../catalog/sources/source-header.ts";
import { dueAt, isSettling, stateOf } from "../../../../catalog/sources/source-schedule.ts";
import {
  BOT_KINDS,
  isBot,
  placeOf,
  type Source,
} from "../../../../catalog/sources/sources.table.ts";
import { inLanguage } from "../../../../values/messages/messages.ts";
import { dayOf } from "../../../../values/moscow-time.ts";
import { pageFault, readFields, requiredChoice } from "../../forms/faults.ts";
import { DataTable } from "../../look/data-table.tsx";
import { ActionButton, Form, SelectField, TextField } from "../../look/form.tsx";
import { quietly, RowFaults, sentNumber } from "../../look/row-actions.tsx";
import { Instant, shownNumber } from "../../look/shown.tsx";
import type { PartProps, SiteContext } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { asset } from "../../visit/site-path.ts";
import { page, redirect, type View } from "../../visit/view.ts";
import { actorOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";
import { WORDS } from "../../words/words.ts";
import { botSourcePath } from "./bot-source.tsx";
import { idOf } from "./console.tsx";
import { ReadingFields, readingOf, readMap, readTimezone } from "./import-reading.tsx";
import { BotReadings, SourceChannels } from "./source-channels.tsx";
import { SourcePushes } from "./source-pushes.tsx";
import { RowsByDay } from "./source-rows.tsx";

const DAYS_SHOWN = 30;
const ACTIONS = ["run", "pause", "resume", "remove"] as const;

/** `/staff/sources/`: what data comes from by itself, with its state; pulls are added here. */
export const sourcesPage: SitePage = {
  path: "/staff/sources/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.sourcePages;
    const sources = await context.sources.list();
    return page(
      words.sources,
      <>
        <Done visit={visit} />
        <RowFaults visit={visit} actions={ACTIONS} />
        <p>{words.intro}</p>
        {sources.length === 0 ? (
          <p class="empty">{visit.words.nothingYet}</p>
        ) : (
          <List visit={visit} context={context} sources={sources} />
        )}
        <h2>{words.addABot}</h2>
        <p class="row">
          {BOT_KINDS.map((kind) => (
            <a href={asset(visit, botSourcePath(kind))}>
              {words.addBot(BOT_MESSENGERS[kind].name)}
            </a>
          ))}
        </p>
        <h2>{words.add}</h2>
        <AddForm visit={visit} />
      </>,
    );
  },
  actions: {
    import: add,
    run: act("askSource", "asked"),
    pause: act("pauseSource", "paused"),
    resume: act("resumeSource", "resumed"),
    remove: act("removeSource", "removed"),
  },
};

/** `/staff/sources/3/`: one source, what its last file gave, and its rows by day. */
export const sourcePage: SitePage = {
  path: "/staff/sources/:id/",
  access: "staff",
  async show(visit, { sources, ports }) {
    const words = visit.words.sourcePages;
    const source = await sources.find(String(idOf(visit.params["id"] ?? "")));
    const days = await sources.rowsByDay(source.id, DAYS_SHOWN);
    const { settings } = source;
    const now = ports.clock.now();
    return page(
      `${words.source}: ${source.name}`,
      <>
        <Done visit={visit} />
        <dl>
          <dt>{isBot(settings) ? words.bot : words.places[settings.kind]}</dt>
          <dd>
            <bdi>{placeOf(settings)}</bdi>
          </dd>
          <dt>{words.schedule}</dt>
          <dd>
            <code>{source.schedule}</code>
          </dd>
          <dt>{words.state}</dt>
          <dd>{words.states[stateOf(source, now)]}</dd>
          <dt>{words.lastSuccess}</dt>
          <dd>
            <Instant visit={visit} at={source.succeededAt} />
          </dd>
          {source.failure !== null && (
            <>
              <dt>{words.lastError}</dt>
              <dd class="fault">
                <bdi>{failureOf(visit, source)}</bdi>
              </dd>
            </>
          )}
          {isSettling(source) && (
            <>
              <dt>{words.waits}</dt>
              <dd>{words.settling}</dd>
            </>
          )}
          <BotReadings visit={visit} source={source} />
        </dl>
        {isBot(settings) && (
          <SourceChannels
            visit={visit}
            settings={settings}
            chats={await sources.chats(source.id)}
          />
        )}
        <SourcePushes visit={visit} source={source} />
        {source.summary !== null && <Summary visit={visit} source={source} />}
        <RowsByDay visit={visit} today={dayOf(now)} days={DAYS_SHOWN} counts={days} />
      </>,
    );
  },
  actions: { pushesOn: setPushes(true), pushesOff: setPushes(false) },
};

function setPushes(isOn: boolean) {
  return async (visit: Visit, { sources }: SiteContext): Promise<View> => {
    const id = idOf(visit.params["id"] ?? "");
    await sources.setPushes(id, isOn, actorOf(visit));
    return redirect(`/staff/sources/${id}/?done=${isOn ? "pushesOn" : "pushesOff"}`);
  };
}

function Done({ visit }: { visit: Visit }): JSX.Element | null {
  const { done } = visit.words.sourcePages;
  const name = visit.query.get("done") ?? "";
  return Object.hasOwn(done, name) ? <p role="status">{done[name]}</p> : null;
}

async function List({
  visit,
  context: { sources: verbs, ports },
  sources,
}: PartProps & {
  sources: readonly Source[];
}): Promise<HtmlEscapedString> {
  const words = visit.words.sourcePages;
  const now = ports.clock.now();
  const today = await Promise.all(
    sources.map(async ({ id }) => (await verbs.rowsByDay(id, 1)).at(-1)?.rows ?? 0),
  );
  return (
    <DataTable
      label={words.sources}
      columns={[
        ...[words.source, words.state, `#${words.rowsToday}`],
        ...[words.lastSuccess, words.actions],
      ]}
    >
      {sources.map((source, at) => (
        <tr>
          <th scope="row">
            <a href={asset(visit, `/staff/sources/${source.id}/`)}>
              <bdi>{source.name}</bdi>
            </a>{" "}
            <small>{kindOf(visit, source)}</small>
          </th>
          <td class="long">
            {words.states[stateOf(source, now)]}
            {source.failure !== null && (
              <small class="fault">
                <br />
                <bdi>{failureOf(visit, source)}</bdi>
              </small>
            )}
          </td>
          <td class="number">{shownNumber(visit, today[at] ?? 0)}</td>
          <td>
            <Instant visit={visit} at={source.succeededAt} />
            <br />
            <small>
              {words.next}: <Instant visit={visit} at={nextAt(source, now)} />
              {source.position.lagMs !== undefined && (
                <>
                  <br />
                  {words.lag}: {words.seconds(Math.round(source.position.lagMs / 1000))}
                </>
              )}
            </small>
          </td>
          <td>
            <RowActions visit={quietly(visit)} source={source} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function RowActions({ visit, source }: { visit: Visit; source: Source }): JSX.Element {
  const words = visit.words.sourcePages;
  const button = { visit, description: source.name, fields: { source: source.id } };
  return (
    <>
      <ActionButton {...button} action="run" label={words.run} />
      {source.isPaused ? (
        <ActionButton {...button} action="resume" label={words.resume} />
      ) : (
        <ActionButton {...button} action="pause" label={words.pause} />
      )}
      <ActionButton
        {...button}
        action="remove"
        label={words.remove}
        confirm={words.confirmRemove}
        danger
      />
    </>
  );
}

function AddForm({ visit }: { visit: Visit }): JSX.Element {
  const words = visit.words.sourcePages;
  const field = { visit, action: "import" };
  return (
    <Form visit={visit} action="import">
      <SelectField
        {...field}
        name="kind"
        label={visit.words.importPages.kind}
        value="channels"
        options={IMPORT_KIND_NAMES.map((value) => ({
          value,
          label: visit.words.importPages.kinds[value],
        }))}
      />
      <TextField {...field} name="url" label={words.url} hint={words.urlHint} type="url" />
      <TextField
        {...field}
        name="schedule"
        label={words.schedule}
        hint={words.scheduleHint}
        value="15m"
      />
      <TextField {...field} name="name" label={words.name} hint={words.nameHint} required={false} />
      <TextField
        {...field}
        name="header"
        label={words.header}
        hint={words.headerHint}
        type="password"
        autocomplete="off"
        required={false}
      />
      <ReadingFields visit={visit} />
      <p>
        <button type="submit">{words.add}</button>
      </p>
    </Form>
  );
}

function Summary({ visit, source }: { visit: Visit; source: Source }): JSX.Element | null {
  const words = visit.words.importPages;
  const { summary } = source;
  if (summary === null) return null;
  const groups = [...summary.rejects, ...summary.warnings];
  return (
    <>
      <h2>{visit.words.sourcePages.lastRun}</h2>
      <dl>
        <dt>{words.read}</dt>
        <dd>{shownNumber(visit, summary.read)}</dd>
        <dt>{words.rejected}</dt>
        <dd>{shownNumber(visit, summary.rejected)}</dd>
      </dl>
      {groups.length > 0 && (
        <ul>
          {groups.map((group) => (
            <li>
              {group.count} × <bdi>{reasonOf(visit.language, group)}</bdi>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Adds a pull; a folder of the machine is the operator's to name, on its command line. */
async function add(visit: Visit, { sources }: SiteContext): Promise<View> {
  const { form } = visit;
  const { kind, map, timezone, header } = await readFields({
    kind: () => requiredChoice(IMPORT_KIND_NAMES, form.get("kind")),
    map: () => readMap(visit),
    timezone: () => readTimezone(visit),
    header: () => headersOf(visit),
  });
  const url = form.get("url").trim();
  const name = form.get("name").trim() || nameOfAddress(url, NAME_LENGTH_MAX);
  const reading = readingOf(visit, map);
  const strict = form.get("strict") === "yes";
  await sources.add(
    {
      ...{ name, headers: header, schedule: form.get("schedule").trim() },
      settings: { kind: "pull", url, rows: kind, reading, timezone, strict },
    },
    actorOf(visit),
  );
  return redirect("/staff/sources/?done=added");
}

/** @throws AppError `invalid` */
function headersOf({ form, language }: Visit): Record<string, string> {
  const text = form.get("header");
  const header = text.trim() === "" ? {} : readHeader(text);
  if (header === null) throw pageFault("header", WORDS[language].sourcePages.wrongHeader);
  return header;
}

function act(verb: "askSource" | "pauseSource" | "resumeSource" | "removeSource", done: string) {
  return async (visit: Visit, { sources }: SiteContext): Promise<View> => {
    await sources[verb](sentNumber(visit, "source"), actorOf(visit));
    return redirect(`/staff/sources/?done=${done}`);
  };
}

function nextAt(source: Source, now: number): number | null {
  const at = dueAt(source, now);
  return source.isPaused || !Number.isFinite(at) ? null : at;
}

function kindOf({ words }: Visit, { settings }: Source): string {
  return isBot(settings)
    ? BOT_MESSENGERS[settings.kind].name
    : words.importPages.kinds[settings.rows];
}

function failureOf({ language }: Visit, { failure, failedFile }: Source): string {
  if (failure === null) return "";
  return `${failedFile === null ? "" : `${failedFile}: `}${inLanguage(language, failure)}`;
}
