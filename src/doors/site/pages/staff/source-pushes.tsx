/** @jsxImportSource hono/jsx */
import { isBot, type Source } from "../../../../catalog/sources/sources.table.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { useVisit } from "../../visit/use-visit.ts";

/** Switches MAX's pushes on and off; renders nothing for other sources. */
export function SourcePushes({ source: { settings } }: { source: Source }) {
  if (!isBot(settings) || settings.kind !== "max") return null;
  const words = useVisit().words.sourcePages;
  const isOn = settings.pushes === true;
  return (
    <section>
      <h2>{words.pushes}</h2>
      <p>{isOn ? words.pushesOn : words.pushesOff}</p>
      <ActionButton
        action={isOn ? "pushesOff" : "pushesOn"}
        label={isOn ? words.turnPushesOff : words.turnPushesOn}
      />
    </section>
  );
}
