/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { reasonOf } from "../../../../catalog/imports/tally.ts";
import { isSettling, stateOf } from "../../../../catalog/sources/source-schedule.ts";
import { isBot, placeOf, type Source } from "../../../../catalog/sources/sources.table.ts";
import { dayOf } from "../../../../values/moscow-time.ts";
import { Instant, shownNumber } from "../../look/shown.tsx";
import type { SiteContext } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { page, redirect, type View } from "../../visit/view.ts";
import { actorOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";
import { idOf } from "./console.tsx";
import { BotReadings, SourceChannels } from "./source-channels.tsx";
import { SourcePushes } from "./source-pushes.tsx";
import { RowsByDay } from "./source-rows.tsx";
import { failureOf, ScheduleText, SourceDone, SourceState } from "./source-state.tsx";

const DAYS_SHOWN = 30;

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
        <SourceDone visit={visit} />
        <dl>
          <dt>{isBot(settings) ? words.bot : words.places[settings.kind]}</dt>
          <dd>
            <bdi>{placeOf(settings)}</bdi>
          </dd>
          <dt>{words.schedule}</dt>
          <dd>
            <ScheduleText visit={visit} schedule={source.schedule} />
          </dd>
          <dt>{words.state}</dt>
          <dd>
            <SourceState visit={visit} state={stateOf(source, now)} />
          </dd>
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
