import { remoteVisitor } from "../../../support/visitor.ts";
import { elapsed } from "../../../support/webhook-journey.ts";
import { residentBytes } from "../../peers/processes.ts";
import { sendForm } from "../requests.ts";
import { answered, type Row, type Stage } from "../row.ts";
import { requestsRow } from "./requests-row.ts";

const SIGN_IN = "/account/sign-in/";
const MEBIBYTE = 1024 * 1024;
const FORM_BYTES = MEBIBYTE - 100;
const PAIRS = "a&".repeat(FORM_BYTES / 2);
const FORMS = { connections: 2, perSecond: 10 };
const UPLOAD_BYTES = 200_000_000;
const HELD = 400;
/** Share of the load after which memory is measured. */
const HELD_SHARE = 0.9;
const REST_S = 30;
const RESIDENT_TIMES_MOST = 1.3;
const IDLE = 4_000;

/** The cookie and the token that a form of the site needs, as a browser gets them. */
export async function formToken({ serving }: Stage): Promise<{ cookie: string; csrf: string }> {
  const visitor = remoteVisitor(serving.address);
  const csrf = await visitor.csrf(SIGN_IN);
  return { csrf, cookie: [...visitor.cookies].map((pair) => pair.join("=")).join("; ") };
}

function head(path: string, type: string, bytes: number): string[] {
  return [
    ...[`POST ${path} HTTP/1.1`, "Host: 127.0.0.1", `Content-Type: ${type}`],
    `Content-Length: ${bytes}`,
  ];
}

const CONNECTION = { kind: "connections", ending: "", isRepeated: false } as const;
const NOTHING = { head: [], body: { start: "", moreBytes: 0 } };

function upload() {
  const start = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n';
  return {
    head: head("/staff/imports/", "multipart/form-data; boundary=b", UPLOAD_BYTES),
    body: { start, moreBytes: UPLOAD_BYTES - start.length },
  };
}

function heldForm() {
  const [start, ending] = ["email=", "a"];
  return {
    head: head(SIGN_IN, "application/x-www-form-urlencoded", FORM_BYTES),
    body: { start, moreBytes: FORM_BYTES - start.length - ending.length },
    ending,
  };
}

export const strangerRows: Row[] = [
  requestsRow({
    ...{ name: "form-token", ...FORMS },
    does: "posts 1 MiB of a&a&a after a valid token to the sign-in form, as a stranger",
    async requests(stage) {
      const { cookie, csrf } = await formToken(stage);
      const start = `csrf=${encodeURIComponent(csrf)}&`;
      return [sendForm(SIGN_IN, start + PAIRS.slice(0, FORM_BYTES - start.length), { cookie })];
    },
  }),
  {
    name: "upload",
    does: "uploads 200 MB to /staff/imports/, as a stranger",
    beside: async (stage, seconds) =>
      answered(
        await stage.load({ ...CONNECTION, ...upload(), connections: 1, isRepeated: true }, seconds),
      ),
  },
  {
    name: "held-forms",
    does: "sends 400 forms of 1 MiB except their last byte, as a stranger",
    rounds: 1,
    async beside(stage, seconds) {
      const resident = async (): Promise<number> => (await residentBytes(stage.serving.pid)) ?? 0;
      const before = await resident();
      const forms = stage.load({ ...CONNECTION, ...heldForm(), connections: HELD }, seconds);
      await elapsed(seconds * HELD_SHARE * 1000);
      const held = await resident();
      const { notes } = answered(await forms);
      await elapsed(REST_S * 1000);
      const after = await resident();
      const [first, most, last] = [before, held, after].map((bytes) => Math.round(bytes / 1e6));
      const memory = `resident ${first} MB before, ${most} MB during, ${last} MB half a minute after`;
      const isKept = after > RESIDENT_TIMES_MOST * before;
      return { notes: [...notes, ...(isKept ? [] : [memory])], broken: isKept ? [memory] : [] };
    },
  },
  {
    name: "idle",
    does: "keeps 4,000 connections open and sends nothing",
    beside: async (stage, seconds) =>
      answered(await stage.load({ ...CONNECTION, ...NOTHING, connections: IDLE }, seconds)),
  },
];
