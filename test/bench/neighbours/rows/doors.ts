import { EVERYTHING_ON, routeTable } from "../../../support/route-table.ts";
import { type Repeated, type SentRequest, sendForm } from "../requests.ts";
import type { Row } from "../row.ts";
import { requestsRow } from "./requests-row.ts";

/** Rows made from the route table: strangers without a key hammer every route, each group of routes in turn. */

const CONNECTIONS = 16;
/** Parts with fewer addresses share a group. */
const FEW = 3;
const POSTS_PER_SECOND = 40;
const KIB = 1024;
const UNKNOWN = ["/unknown/", "/v1/unknown/", "/.env", "/index.php", "/wp-login.php"];

/** The largest bodies that some route takes, and one that none takes; each costs much to parse. */
const BODIES: readonly { type: string; body: Repeated }[] = [
  form(16 * KIB),
  json('"f":0,', 256 * KIB),
  form(KIB * KIB),
  json('"f":[[[[[[[[0]]]]]]]],', KIB * KIB),
  json('"f":0,', 8 * KIB * KIB),
];

function form(bytes: number) {
  const body = { start: "", part: "a&", end: "a", bytes: bytes - 100 };
  return { type: "application/x-www-form-urlencoded", body };
}

function json(part: string, bytes: number) {
  const body = { start: "{", part, end: '"g":0}', bytes: bytes - 100 };
  return { type: "application/json", body };
}

/** Addresses by their first part, which names the group. */
async function pathsByDoor(): Promise<Map<string, string[]>> {
  const doors = new Map<string, string[]>([["unknown", UNKNOWN]]);
  const routes = await routeTable();
  for (const path of new Set(routes.map((route) => route.path))) {
    const door = /^\/\.?([\w-]+)/.exec(path)?.[1] ?? "start";
    const address = path.replace(/:\w+/g, "1").replace("*", "none");
    doors.set(door, [...(doors.get(door) ?? []), address]);
  }
  const few = [...doors].filter(([, paths]) => paths.length < FEW);
  for (const [door] of few) doors.delete(door);
  return doors.set(
    "others",
    few.flatMap(([, paths]) => paths),
  );
}

function doorRowsOf(door: string, paths: readonly string[]): Row[] {
  const of = `${paths.length} addresses of ${door}`;
  return [
    requestsRow({
      name: `get-${door}`,
      does: `requests ${of} over ${CONNECTIONS} connections, as a stranger`,
      ...{ connections: CONNECTIONS, rounds: "until kept", environment: EVERYTHING_ON },
      requests: () => paths.map((path) => ({ verb: "GET", path, headers: {} })),
    }),
    requestsRow({
      name: `post-${door}`,
      does: `posts 16 KiB to 8 MiB to ${of} ${POSTS_PER_SECOND} times a second, as a stranger`,
      ...{ connections: CONNECTIONS, perSecond: POSTS_PER_SECOND, rounds: "until kept" },
      environment: EVERYTHING_ON,
      requests: () =>
        BODIES.flatMap((_, shift) =>
          paths.map((path, at): SentRequest => {
            const { type, body } = BODIES[(at + shift) % BODIES.length] ?? form(0);
            return sendForm(path, body, { "content-type": type });
          }),
        ),
    }),
  ];
}

export const doorRows: Row[] = [...(await pathsByDoor())].flatMap(([door, paths]) =>
  doorRowsOf(door, paths),
);
