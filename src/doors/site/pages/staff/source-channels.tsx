/** @jsxImportSource hono/jsx */
import type { BotSettings, Source, SourceChat } from "../../../../catalog/sources/sources.table.ts";
import { DataTable } from "../../look/data-table.tsx";
import type { Fact } from "../../look/facts.tsx";
import { Instant, told } from "../../look/shown.tsx";
import { Steps } from "../../look/steps.tsx";
import { useVisit } from "../../visit/use-visit.ts";
import { BotPicture } from "./bot-picture.tsx";

/** Channels that a bot was added to, or how to add it. */
export function SourceChannels({
  settings: { kind, bot },
  chats,
}: {
  settings: BotSettings;
  chats: readonly SourceChat[];
}) {
  const words = useVisit().words.sourcePages;
  return (
    <section>
      <h2>{words.channels}</h2>
      {chats.length === 0 && <p>{words.noChannels}</p>}
      {chats.length > 0 && (
        <DataTable
          label={words.channels}
          rows={chats}
          columns={[
            [words.channel, ({ title }) => <bdi>{title}</bdi>, "row"],
            [words.handle, ({ handle }) => (handle === null ? "—" : <bdi>@{handle}</bdi>)],
            [
              words.state,
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
      <h3>{words.addToChannel}</h3>
      <Steps steps={words.botSteps[kind].channel(bot)} />
      <BotPicture name={`${kind}-admin`} />
    </section>
  );
}

/** Whether posts arrive in time, and which ones the messenger no longer had. */
export function botReadings({ position: { lagMs, gap } }: Source): Fact[] {
  const words = useVisit().words.sourcePages;
  return [
    [words.lag, lagMs !== undefined && words.seconds(Math.round(lagMs / 1000))],
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
