/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { isBot, type Source } from "../../../../catalog/sources/sources.table.ts";
import { ActionButton } from "../../look/action-button.tsx";
import type { Visit } from "../../visit/visit.ts";

/** Switches MAX's pushes on and off; renders nothing for other sources. */
export function SourcePushes({
  visit,
  source: { settings },
}: {
  visit: Visit;
  source: Source;
}): JSX.Element | null {
  if (!isBot(settings) || settings.kind !== "max") return null;
  const words = visit.words.sourcePages;
  const isOn = settings.pushes === true;
  return (
    <section>
      <h2>{words.pushes}</h2>
      <p>{isOn ? words.pushesOn : words.pushesOff}</p>
      <ActionButton
        visit={visit}
        action={isOn ? "pushesOff" : "pushesOn"}
        label={isOn ? words.turnPushesOff : words.turnPushesOn}
      />
    </section>
  );
}
