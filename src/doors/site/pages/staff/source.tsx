/** @jsxImportSource hono/jsx */
import { reasonOf } from "../../../../catalog/imports/writing/import-summary.ts";
import { isSettling, stateOf } from "../../../../catalog/sources/source-schedule.ts";
import type { BotSettings, Source, SourceChat } from "../../../../catalog/sources/sources.table.ts";
import { fileMaxMs, isBot, placeOf } from "../../../../catalog/sources/sources.table.ts";
import { dayOf, formatDay } from "../../../../values/moscow-time.ts";
import { sources } from "../../../../verbs/operator/system/sources.ts";
import { verbAction } from "../../forms/verb-action.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { DayChart } from "../../look/day-chart.tsx";
import { Instant, shownInterval, shownNumber, told } from "../../look/shown.tsx";
import { Done, type Fact, Facts, Steps } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { page, redirect, useVisit } from "../../visit/visit.ts";
import { addressedId } from "./console.tsx";
import {
  adviceFor,
  BotPicture,
  Faults,
  ScheduleText,
  SetAside,
  SourceState,
} from "./source-parts.tsx";

const DAYS_SHOWN = 30;

/** `/staff/sources/3/`: one source, what its last file contained, and its rows by day. */
export const sourcePage: SitePage = {
  path: "/staff/sources/:id/",
  access: "staff",
  async show(visit, { sources, ports }) {
    const words = visit.words.sourcePages;
    const source = await sources.find(String(addressedId()));
    const days = await sources.rowsByDay(source.id, DAYS_SHOWN);
    const { settings } = source;
    const now = ports.clock.now();
    return page(
      `${words.source}: ${source.name}`,
      <>
        <Done words={words.done} />
        <Facts
          facts={[
            [
              isBot(settings) ? words.bot : words.places[settings.kind],
              <bdi>{placeOf(settings)}</bdi>,
            ],
            [words.schedule, <ScheduleText schedule={source.schedule} />],
            [
              words.timeLimit,
              !isBot(settings) && shownInterval(visit.words.locale, fileMaxMs(settings)),
            ],
            [visit.words.state, <SourceState state={stateOf(source, now)} />],
            [visit.words.lastSuccess, <Instant at={source.succeededAt} />],
            [
              visit.words.lastError,
              source.failure !== null && <bdi class="fault">{told(source.failure)}</bdi>,
            ],
            [words.whatToDo, source.failure !== null && adviceFor(source.failure, source)],
            [words.waits, isSettling(source) && words.settling],
            ...botReadings(source),
          ]}
        />
        {isBot(settings) && (
          <SourceChannels settings={settings} chats={await sources.chats(source.id)} />
        )}
        <SourcePushes source={source} />
        {source.summary !== null && <Summary source={source} />}
        {source.faults.length > 0 && <Faults faults={source.faults} />}
        <SetAside files={await sources.setAside(source.id)} />
        <RowsByDay today={dayOf(now)} days={DAYS_SHOWN} counts={days} />
      </>,
    );
  },
  actions: {
    pushes: verbAction(sources, "pushes", {
      shows({ id }) {
        const isOn = useVisit().form.get("state") === "on";
        return redirect(`/staff/sources/${id}/?done=${isOn ? "pushesOn" : "pushesOff"}`);
      },
    }),
  },
};

function Summary({ source }: { source: Source }) {
  const visit = useVisit();
  const words = visit.words.importPages;
  const { summary } = source;
  if (summary === null) return null;
  const groups = [...summary.rejects, ...summary.warnings];
  return (
    <>
      <h2>{visit.words.sourcePages.lastRun}</h2>
      <Facts
        facts={[
          [words.read, shownNumber(summary.read)],
          [words.rejected, shownNumber(summary.rejected)],
        ]}
      />
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

/** Switches MAX's pushes on and off; renders nothing for other sources. */
function SourcePushes({ source: { settings } }: { source: Source }) {
  if (!isBot(settings) || settings.kind !== "max") return null;
  const words = useVisit().words.sourcePages;
  const isOn = settings.pushes === true;
  return (
    <section>
      <h2>{words.pushes}</h2>
      <p>{isOn ? words.pushesOn : words.pushesOff}</p>
      <ActionButton
        action="pushes"
        fields={{ state: isOn ? "off" : "on" }}
        label={isOn ? words.turnPushesOff : words.turnPushesOn}
      />
    </section>
  );
}

/**
 * Rows delivered by a source, by day.
 * @param today the last day shown
 */
function RowsByDay({
  today,
  days,
  counts,
}: {
  today: number;
  days: number;
  counts: readonly { day: number; rows: number }[];
}) {
  const { sourcePages: words, nothingYet } = useVisit().words;
  const rows = new Map(counts.map((one) => [one.day, one.rows]));
  const shown = Array.from({ length: days }, (_, at) => today - days + 1 + at);
  return (
    <DayChart
      title={words.byDay}
      id="source-rows"
      days={shown.map((day) => ({ day: formatDay(day), rows: rows.get(day) ?? 0 }))}
      instead={counts.length === 0 ? nothingYet : null}
      columns={[{ head: words.rows, value: ({ rows }) => rows, draw: "bars" }]}
    />
  );
}

/** Channels that a bot was added to, or how to add it. */
function SourceChannels({
  settings: { kind, bot, isDemo },
  chats,
}: {
  settings: BotSettings;
  chats: readonly SourceChat[];
}) {
  const { sourcePages: words, channel, state, channels } = useVisit().words;
  return (
    <section>
      <h2>{channels}</h2>
      {chats.length === 0 && <p>{words.noChannels}</p>}
      {chats.length > 0 && (
        <DataTable
          label={channels}
          rows={chats}
          columns={[
            [channel, ({ title }) => <bdi>{title}</bdi>, "row"],
            [words.handle, ({ handle }) => (handle === null ? "—" : <bdi>@{handle}</bdi>)],
            [
              state,
              ({ isRead, fault }) => (
                <>
                  {isRead ? words.channelRead : words.channelLeft}
                  {fault !== null && <small> {told(fault)}</small>}
                </>
              ),
            ],
            [words.cardRead, ({ cardAt }) => <Instant at={cardAt} />],
          ]}
        />
      )}
      {isDemo !== true && (
        <>
          <h3>{words.addToChannel}</h3>
          <Steps steps={words.botSteps[kind].channel(bot)} />
          <BotPicture name={`${kind}-admin`} />
        </>
      )}
    </section>
  );
}

/** Whether posts arrive in time, and which ones the messenger no longer had. */
function botReadings({ position: { lagMs, gap } }: Source): Fact[] {
  const { sourcePages: words, seconds } = useVisit().words;
  return [
    [words.lag, lagMs !== undefined && seconds(Math.round(lagMs / 1000))],
    [
      words.gap,
      gap !== undefined && (
        <span class="fault">
          <Instant at={gap.from} /> – <Instant at={gap.to} />
          <br />
          {words.gapHint}
        </span>
      ),
    ],
  ];
}
