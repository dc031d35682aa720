/**
 * Only Elysia: `/WORK/NTH` returns a constant answer. `bun constant-server.ts ANSWERS PORT`; the file contains the
 * answers of each work.
 */
import { readFileSync } from "node:fs";
import { Elysia } from "elysia";

const [file = "", port = "0"] = process.argv.slice(2);
const works = JSON.parse(readFileSync(file, "utf8")) as string[][];
const app = new Elysia()
  .get("/:work/:nth", ({ set, params: { work, nth } }) => {
    const answer = works[Number(work)]?.[Number(nth)];
    if (answer === undefined) throw new Error(`there is no answer ${work}/${nth}`);
    set.headers["content-type"] = "application/json";
    return answer;
  })
  .get("/ready", () => "ok");
app.listen({ hostname: "127.0.0.1", port: Number(port) });
