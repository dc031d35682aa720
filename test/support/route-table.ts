import { createApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/config.ts";
import { fakePorts } from "./fake-ports.ts";

/** A route as the server registers it; the method may be `ALL`. */
export interface Route {
  method: string;
  path: string;
}

/** Settings with which all routes exist. */
export const EVERYTHING_ON = {
  KANALOG_OAUTH: "on",
  KANALOG_SIGN_UP: "on",
  KANALOG_BASE_URL: "http://127.0.0.1",
};

/** All routes of an appliance on which everything is switched on. */
export async function routeTable(): Promise<Route[]> {
  const config = readConfig({ KANALOG_DB: ":memory:", ...EVERYTHING_ON });
  const app = await createApp(config, fakePorts());
  const routes = app.server.routes.map(({ verb, path }) => ({ method: verb, path }));
  await app.close();
  return routes;
}
