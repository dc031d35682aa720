/**
 * Elysia and nothing else: each path of a file has a constant answer.
 * `bun constant-server.ts ANSWERS PORT`; the file has `[{path, body}]`.
 */
import { readFileSync } from "node:fs";
import { Elysia } from "elysia";

const [file = "", port = "0"] = process.argv.slice(2);
const answers = JSON.parse(readFileSync(file, "utf8")) as { path: string; body: string }[];
const app = new Elysia();
for (const { path, body } of answers) {
  app.get(path, ({ set }) => {
    set.headers["content-type"] = "application/json";
    return body;
  });
}
app.get("/ready", () => "ok");
app.listen({ hostname: "127.0.0.1", port: Number(port) });
