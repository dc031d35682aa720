import { get, type SentRequest } from "./requests.ts";
import type { Stage } from "./row.ts";
import type { VictimSpec } from "./victim.ts";

const PER_SECOND = 50;
const REQUESTS = 400;

/** Requests of healthy customers: cards, a catalog page, a search, a day of statistics, their account. */
export function customers({ data }: Stage): Omit<VictimSpec, "address" | "timeoutMs"> {
  const { channels, strings, victims, lastDay } = data;
  const api = "/v1/msgr";
  const requests = Array.from({ length: REQUESTS }, (_, at): SentRequest => {
    const { key } = victims[at % victims.length] ?? { key: "" };
    const channel = channels[(at * 7919) % channels.length];
    switch (Math.floor(at / victims.length) % 8) {
      case 4:
        return get(`${api}/channels/?ordering=-subscribers`, key);
      case 5: {
        const q = encodeURIComponent(strings[at % strings.length] ?? "");
        return get(`${api}/channels/?ordering=-subscribers&q=${q}`, key);
      }
      case 6:
        return get(`${api}/stats/daily/?channels=${channel}&from=${lastDay}&to=${lastDay}`, key);
      case 7:
        return get("/v1/me/", key);
      default:
        return get(`${api}/channels/${channel}/`, key);
    }
  });
  return { requests, perSecond: PER_SECOND, status: 200 };
}
