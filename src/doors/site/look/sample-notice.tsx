/** @jsxImportSource hono/jsx */
import { asset } from "../visit/site-path.ts";
import { useVisit } from "../visit/use-visit.ts";

/** Pages that show channels, or let one choose some. */
const PAGES_WITH_CHANNELS =
  /^\/(?:account\/(?:channels|trending|compare|posts|alerts|webhooks)|staff\/(?:channels|posts))\//;
const ONE_CHANNEL = /^\/(?:account|staff)\/channels\/(\d+)\/$/;

/** Marks sample channels as such, on every page that shows any. */
export function SampleNotice() {
  const { path, sample, words, signedIn } = useVisit();
  const [page = ""] = path.split("?");
  const channel = ONE_CHANNEL.exec(page)?.[1];
  const isShown =
    channel === undefined
      ? sample.length > 0 && PAGES_WITH_CHANNELS.test(page)
      : sample.includes(Number(channel));
  if (!isShown) return null;
  const { notice } = words.firstSteps;
  return (
    <p class="sample">
      {channel === undefined ? notice.list(sample.length) : notice.channel}{" "}
      {signedIn?.person.isStaff && <a href={asset("/staff/start/")}>{notice.manage}</a>}
    </p>
  );
}
