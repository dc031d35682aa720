/** @jsxImportSource hono/jsx */

import type { JSX } from "hono/jsx/jsx-runtime";
import type { SourceChat } from "../../../../catalog/sources/source-chats.store.ts";
import { isBot, type Source } from "../../../../catalog/sources/sources.table.ts";
import { inLanguage } from "../../../../values/messages/messages.ts";
import { DataTable } from "../../look/data-table.tsx";
import { ActionButton } from "../../look/form.tsx";
import { Instant } from "../../look/shown.tsx";
import type { Visit } from "../../visit/visit.ts";

/** Channels that a bot was added to, and whether they are read. */
export function SourceChannels({
  visit,
  chats,
}: {
  visit: Visit;
  chats: readonly SourceChat[];
}): JSX.Element {
  const words = visit.words.sourcePages;
  if (chats.length === 0) return <p>{words.noChannels}</p>;
  return (
    <DataTable label={words.channels} columns={[words.channel, words.state, words.lastRead]}>
      {chats.map((chat) => (
        <tr>
          <th scope="row">
            <bdi>{chat.title}</bdi>
          </th>
          <td>{stateOf(visit, chat)}</td>
          <td>
            <Instant visit={visit} at={chat.cardAt} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function stateOf({ words, language }: Visit, { isRead, cardAt, fault }: SourceChat): string {
  if (fault !== null) return inLanguage(language, fault);
  if (isRead) return words.sourcePages.isRead;
  return cardAt === null ? words.sourcePages.states.new : words.sourcePages.isLost;
}

/** Turns pushes of MAX on and off. */
export function SourcePushes({
  visit,
  source,
}: {
  visit: Visit;
  source: Source;
}): JSX.Element | null {
  const words = visit.words.sourcePages;
  const { settings } = source;
  if (!isBot(settings) || settings.kind !== "max") return null;
  const isOn = settings.pushes === true;
  return (
    <>
      <h2>{words.pushes}</h2>
      <p>{isOn ? words.pushesOn : words.pushesOff}</p>
      <ActionButton
        visit={visit}
        action={isOn ? "pushesOff" : "pushesOn"}
        label={isOn ? words.turnPushesOff : words.turnPushesOn}
      />
    </>
  );
}
