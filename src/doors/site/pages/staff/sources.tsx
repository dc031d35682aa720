/** @jsxImportSource hono/jsx */
import { BOT_MESSENGERS } from "../../../../catalog/sources/bots/bots.ts";
import { nextRunAt, stateOf } from "../../../../catalog/sources/source-schedule.ts";
import type { BotKind, Source } from "../../../../catalog/sources/sources.table.ts";
import { BOT_KINDS, isBot } from "../../../../catalog/sources/sources.table.ts";
import { sources } from "../../../../verbs/operator/system/sources.ts";
import { verbAction } from "../../forms/verb-action.ts";
import { ActionButton, RowFaults, sentNumber } from "../../look/action-button.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { Form, TextField } from "../../look/form.tsx";
import { Instant, shownNumber, told } from "../../look/shown.tsx";
import { Done, NamedLink, Steps } from "../../look/user-text.tsx";
import { VerbFields } from "../../look/verb-form.tsx";
import type { SitePage } from "../../site-pages.ts";
import { asset, page, redirect, useSite, useVisit } from "../../visit/visit.ts";
import { ReadingFields } from "./import-parts.tsx";
import { BotPicture, SourceState } from "./source-parts.tsx";

const botSourcePath = (kind: BotKind) => `/staff/sources/${kind}/` as const;

/** `/staff/sources/telegram/` and the like, one per messenger: adds a bot step by step. */
export const botSourcePages: readonly SitePage[] = BOT_KINDS.map(botSourcePage);

function botSourcePage(kind: BotKind): SitePage {
  return {
    path: botSourcePath(kind),
    access: "staff",
    async show(visit) {
      const words = visit.words.sourcePages;
      const { api, schedule, name } = BOT_MESSENGERS[kind];
      return page(
        words.addBot(name),
        <>
          <p>{words.botSteps[kind].intro}</p>
          <p>{words.demoHint}</p>
          <ActionButton action="demo" fields={{ kind, demo: "yes" }} label={words.addDemo} />
          <h2>1. {words.makeBot}</h2>
          <Steps steps={words.botSteps[kind].make} />
          <BotPicture name={`${kind}-make`} />
          <h2>2. {words.giveToken}</h2>
          <Form action="add" words={words}>
            <input type="hidden" name="kind" value={kind} />
            <TextField name="token" type="password" autocomplete="off" />
            <TextField name="name" hint={words.botNameHint} required={false} />
            <TextField name="schedule" value={schedule} />
            <TextField name="api" value={api} />
            <p>
              <button type="submit">{words.testAndAdd}</button>
            </p>
          </Form>
          <h2>3. {words.addToChannel}</h2>
          <p>{words.thenChannels}</p>
        </>,
      );
    },
    actions: {
      add: verbAction(sources, "add-bot", {
        shows: ({ id }) => redirect(`/staff/sources/${id}/?done=botAdded`),
      }),
      demo: verbAction(sources, "add-bot", {
        shows: ({ id }) => redirect(`/staff/sources/${id}/?done=demoAdded`),
      }),
    },
  };
}

const ACTIONS = ["run", "pause", "resume", "remove"] as const;
const ADD = { resource: sources, verb: "add" };
const ofRow = { of: () => sentNumber("source") };

/**
 * `/staff/sources/`: places that data is fetched from automatically, with their state; pulls are added
 * here.
 */
export const sourcesPage: SitePage = {
  path: "/staff/sources/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.sourcePages;
    const listed = await context.sources.list();
    return page(
      words.sources,
      <>
        <Done words={words.done} />
        <RowFaults actions={ACTIONS} />
        <p>{words.intro}</p>
        <List listed={listed} />
        <h2>{words.addABot}</h2>
        <p class="row">
          {BOT_KINDS.map((kind) => (
            <a href={asset(botSourcePath(kind))}>{words.addBot(BOT_MESSENGERS[kind].name)}</a>
          ))}
        </p>
        <h2>{words.add}</h2>
        <AddSourceForm />
      </>,
    );
  },
  actions: {
    add: verbAction(sources, "add", { shows: () => redirect("/staff/sources/?done=added") }),
    run: verbAction(sources, "run", {
      ...ofRow,
      shows: () => redirect("/staff/sources/?done=asked"),
    }),
    pause: verbAction(sources, "pause", ofRow),
    resume: verbAction(sources, "resume", ofRow),
    remove: verbAction(sources, "remove", ofRow),
  },
};

async function List({ listed }: { listed: readonly Source[] }) {
  const { sources, ports } = useSite();
  const { sourcePages: words, seconds, lastSuccess, state, actions } = useVisit().words;
  const now = ports.clock.now();
  const rows = await Promise.all(
    listed.map(async (source) => {
      const [day] = await sources.rowsByDay(source.id, 1);
      return { ...source, today: day?.rows ?? 0 };
    }),
  );
  return (
    <DataTable
      label={words.sources}
      empty={words.noSources}
      rows={rows}
      columns={[
        [
          words.source,
          (source) => (
            <>
              <NamedLink to={`/staff/sources/${source.id}/`}>{source.name}</NamedLink>{" "}
              <small>{kindOf(source)}</small>
            </>
          ),
          "row",
        ],
        [
          state,
          (source) => (
            <>
              <SourceState state={stateOf(source, now)} />
              {source.failure !== null && (
                <small class="fault">
                  <br />
                  <bdi>{told(source.failure)}</bdi>
                </small>
              )}
            </>
          ),
          "long",
        ],
        [words.rowsToday, ({ today }) => shownNumber(today), "number"],
        [
          lastSuccess,
          (source) => (
            <>
              <Instant at={source.succeededAt} />
              <br />
              <small>
                {words.next}: <Instant at={nextRunAt(source, now)} />
                {source.position.lagMs !== undefined && (
                  <>
                    <br />
                    {words.lag}: {seconds(Math.round(source.position.lagMs / 1000))}
                  </>
                )}
              </small>
            </>
          ),
        ],
        [actions, (source) => <RowActions source={source} />],
      ]}
    />
  );
}

function RowActions({ source }: { source: Source }) {
  const words = useVisit().words.sourcePages;
  const toggle = source.isPaused ? "resume" : "pause";
  const button = { inRow: true, description: source.name, fields: { source: source.id } };
  return (
    <>
      <ActionButton {...button} action="run" label={words.run} />
      <ActionButton {...button} action={toggle} label={words[toggle]} />
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

function kindOf({ settings }: Source): string {
  const { words } = useVisit();
  return isBot(settings)
    ? BOT_MESSENGERS[settings.kind].name
    : words.importPages.kinds[settings.rows];
}

/** The form of a new pull; a folder of the machine can only be added on the command line. */
function AddSourceForm() {
  const words = useVisit().words.sourcePages;
  return (
    <Form action="add" words={{ ...useVisit().words.fields, ...words }}>
      <VerbFields {...ADD} fields={["kind"]} />
      <TextField name="url" type="url" />
      <VerbFields {...ADD} fields={["schedule", "name"]} />
      <TextField name="header" type="password" autocomplete="off" required={false} />
      <ReadingFields {...ADD} />
      <p>
        <button type="submit">{words.add}</button>
      </p>
    </Form>
  );
}
