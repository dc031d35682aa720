/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { asset } from "../layout.tsx";
import type { View } from "../view.ts";
import type { Visit } from "../visit.ts";

/** A form that was sent too late, to be sent once more. */
export interface KeptForm {
  path: string;
  fields: Record<string, string>;
}

/** Asks whether what was typed is to be sent now, so that nothing is lost and nothing slips in. */
export function sendAgainView(visit: Visit, kept: KeptForm): View {
  const { words } = visit;
  return {
    kind: "page",
    title: words.sendAgainTitle,
    body: (
      <>
        <p>{words.sendAgainText}</p>
        <KeptFields kept={kept} />
        <form method="post" action={asset(visit, kept.path)}>
          <input type="hidden" name="csrf" value={visit.csrf} />
          {Object.entries(kept.fields).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <button type="submit">{words.sendAgain}</button>{" "}
          <a href={asset(visit, kept.path)}>{words.discard}</a>
        </form>
      </>
    ),
  };
}

/** Shown, so that nobody sends what they did not type. */
function KeptFields({ kept }: { kept: KeptForm }): JSX.Element {
  const shown = Object.entries(kept.fields).filter(([, value]) => value !== "");
  return (
    <dl>
      {shown.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}
