/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { outcomeOf } from "../../../../push/webhooks/delivery/attempt.ts";
import type { OwnItem } from "../../../../push/webhooks/manage/webhook-views.ts";
import { MOSCOW_ZONE, parseInstant } from "../../../../values/moscow-time.ts";
import { Moment } from "../../look/answer-times.tsx";
import { dateFormat } from "../../look/formats.ts";
import { shownNumber, told } from "../../look/shown.tsx";
import { useSite, useVisit } from "../../visit/use-visit.ts";

const SHOWN = 50;
const BAR = 8;
const GAP = 3;
const HEIGHT = 36;
/** Height of the lowest bar, for an attempt of 0 ms. */
const HEIGHT_MIN = 10;
/** No attempt takes longer. */
const DURATION_MAX_MS = 10_000;

/** A webhook's latest attempts at a glance, one bar each; its height shows the duration. */
export async function attemptsStrip(own: OwnItem): Promise<JSX.Element | null> {
  const { services } = useSite();
  const words = useVisit().words.webhookPages;
  const attempts = await services.webhooks.recentAttempts(own, SHOWN);
  const last = attempts.at(-1);
  if (last === undefined) return null;
  const failed = attempts.filter(({ error }) => error !== "").length;
  const [all, good] = [attempts.length, attempts.length - failed].map((count) =>
    shownNumber(count),
  );
  return (
    <figure class="glance">
      <svg
        class="strip"
        viewBox={`0 0 ${SHOWN * (BAR + GAP)} ${HEIGHT}`}
        preserveAspectRatio="xMinYMax meet"
        aria-hidden="true"
      >
        {attempts.map(({ error, attempted_at: at, duration_ms: durationMs }, place) => {
          const height = heightOf(durationMs);
          return (
            <rect
              class={error === "" ? "ok" : "failed"}
              x={place * (BAR + GAP)}
              y={HEIGHT - height}
              width={BAR}
              height={height}
              rx="2"
            >
              <title>{`${timeText(at)}: ${error === "" ? words.states.delivered : told(outcomeOf(error))}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        {words.lastAttempts(all ?? "", good ?? "")} {words.lastAttempt}{" "}
        <Moment at={last.attempted_at} />:{" "}
        <span class={last.error === "" ? "good" : "bad"}>
          {last.error === "" ? words.states.delivered : words.states.failed}
        </span>
      </figcaption>
    </figure>
  );
}

/** Logarithmic, from a few milliseconds to the ten seconds that an attempt may take. */
function heightOf(durationMs: number): number {
  const part = Math.log10(1 + durationMs) / Math.log10(1 + DURATION_MAX_MS);
  return Math.round(HEIGHT_MIN + Math.min(1, part) * (HEIGHT - HEIGHT_MIN));
}

function timeText(at: string): string {
  const visit = useVisit();
  const format = { dateStyle: "short", timeStyle: "short", timeZone: MOSCOW_ZONE } as const;
  return dateFormat(visit.words.locale, format).format(parseInstant(at) ?? 0);
}
