/** @jsxImportSource hono/jsx */
import { reasonOf } from "../../../../catalog/imports/writing/tally.ts";
import { isSettling, stateOf } from "../../../../catalog/sources/source-schedule.ts";
import {
  fileMaxMs,
  isBot,
  placeOf,
  type Source,
} from "../../../../catalog/sources/sources.table.ts";
import { dayOf } from "../../../../values/moscow-time.ts";
import { Done } from "../../look/done.tsx";
import { Facts } from "../../look/facts.tsx";
import { shownInterval } from "../../look/formats.ts";
import { Instant, shownNumber } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { page, redirect, type View } from "../../visit/view.ts";
import { currentActor } from "../../visit/viewer.ts";
import { addressedId } from "./console.tsx";
import { botReadings, SourceChannels } from "./source-channels.tsx";
import { SourcePushes } from "./source-pushes.tsx";
import { RowsByDay } from "./source-rows.tsx";
import { failureOf, ScheduleText, SourceState } from "./source-state.tsx";

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
            [words.state, <SourceState state={stateOf(source, now)} />],
            [words.lastSuccess, <Instant at={source.succeededAt} />],
            [
              words.lastError,
              source.failure !== null && <bdi class="fault">{failureOf(source)}</bdi>,
            ],
            [words.waits, isSettling(source) && words.settling],
            ...botReadings(source),
          ]}
        />
        {isBot(settings) && (
          <SourceChannels settings={settings} chats={await sources.chats(source.id)} />
        )}
        <SourcePushes source={source} />
        {source.summary !== null && <Summary source={source} />}
        <RowsByDay today={dayOf(now)} days={DAYS_SHOWN} counts={days} />
      </>,
    );
  },
  actions: { pushesOn: setPushes(true), pushesOff: setPushes(false) },
};

function setPushes(isOn: boolean) {
  return async (): Promise<View> => {
    const id = addressedId();
    await useSite().sources.setPushes(id, isOn, currentActor());
    return redirect(`/staff/sources/${id}/?done=${isOn ? "pushesOn" : "pushesOff"}`);
  };
}

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
