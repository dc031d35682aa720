import { version } from "../../../package.json";
import { createCategoryImages } from "../../catalog/directory/category-images.ts";
import { createIdempotentRequests } from "../../customers/idempotency/idempotent-requests.ts";
import { passwordAddress } from "../../customers/people/passwords.ts";
import { anyPassword } from "../../customers/people/people.store.ts";
import { operatorRoutes } from "../../doors/http/operator-routes.ts";
import {
  createBaseAddress,
  createOwnAddress,
  oauthAddress,
} from "../../doors/http/requests/base-address.ts";
import { createServer, type Server } from "../../doors/http/server.ts";
import { createBundle, MCP_ICON } from "../../doors/mcp/bundle/bundle.ts";
import { createDispatcher } from "../../doors/mcp/dispatcher.ts";
import { createAfterAnswer } from "../../doors/site/guard/after-answer.ts";
import { clientIp, limitNames, networkOf } from "../../doors/site/guard/client-ip.ts";
import { createSetUp, setUpToken } from "../../doors/site/guard/set-up.ts";
import { filePages } from "../../doors/site/public/file-pages.ts";
import { createDrawing } from "../../doors/site/public/pictures/pictures.ts";
import { publicPages } from "../../doors/site/public/public-pages.ts";
import { type PublicContext, publicRoutes } from "../../doors/site/public/public-routes.tsx";
import { readStart, startHtml } from "../../doors/site/public/start-facts.ts";
import { COUNTED_TABLES, type StartFacts } from "../../doors/site/public/start-page.tsx";
import { siteRoutes } from "../../doors/site/site.ts";
import type { SiteContext } from "../../doors/site/site-context.ts";
import { mergedReadiness, type Readiness } from "../../upkeep/checks/readiness.ts";
import { createFirstSteps } from "../../upkeep/checks/staff-summary.ts";
import { keptBriefly } from "../../values/kept-briefly.ts";
import { apiMethods, toolMethods } from "../../verbs/methods/table.ts";
import type { OperatorServices } from "../../verbs/operator/resource.ts";
import { endpoints } from "../../verbs/operator/resources.ts";
import { guides } from "../guides.ts";
import { subkey } from "../installation-secret.ts";
import type { Base } from "./base.ts";
import { composeReadings } from "./readings.ts";
import { composeSignUp, composeSite } from "./site.ts";
import type { Work } from "./work.ts";

const READINESS_AGE_MAX_MS = 250;

/** State of the running process that the doors read while answering. */
export interface Running {
  /** The address it listens on; null before it listens, and for a wildcard address. */
  address: string | null;
  isStopping: boolean;
}

export type Doors = ReturnType<typeof composeDoors>;

export function composeDoors(base: Base, work: Work, running: Running) {
  const { config, ports, db, threads, crew } = base;
  const afterAnswer = createAfterAnswer(ports.log);
  const firstSteps = createFirstSteps(db, threads.write.noteStep, afterAnswer.run);
  const setUp = createSetUp(
    async () => !(await anyPassword(db)),
    ports.clock,
    crew?.setUp ?? setUpToken(ports.clock, ports.random),
    config.cluster === null || config.secret === null
      ? null
      : subkey(config.secret, "kanalog set-up"),
  );
  const isSignUpOpen = composeSignUp(config, ports, setUp.isNeeded);
  const door = composeDoor(base, work, running, () => server);
  const served = serverParts(base, work);
  const reported = { ready: served.ready, metrics: served.metrics.text };
  const context = { ...door, ...composeSite(base, work, afterAnswer, reported) };
  const operator = composeOperator(base, work, context);
  const site = siteRoutes({
    ...context,
    ownAddress: createOwnAddress(config, () => running.address),
    setUp,
    isSignUpOpen,
    afterAnswer,
    firstSteps,
  });
  const open = config.public === "off" ? [] : composePublic(base, context, isSignUpOpen);
  const answerMcp = createDispatcher(
    toolMethods,
    { version, messenger: config.messenger },
    work.services,
  );
  const server: Server = createServer(apiMethods, {
    ...door,
    ...served,
    docs: { guides, brand: config.brand },
    addresses: {
      namesOf: (request) => limitNames("answers", door.clientIp(request)),
      throttle: context.throttle,
      clock: ports.clock,
    },
    stripe: work.stripe,
    others: [...site, ...open, ...operatorRoutes(endpoints, { ...door, ...operator })],
    answerMcp(post) {
      firstSteps.noteOnce("assistant_seen");
      return answerMcp(post);
    },
    isStaff: async (request) => {
      const signedIn = await context.people.signedIn(request.headers.get("cookie") ?? "");
      return signedIn?.person.isStaff === true;
    },
    startHtml: startHtml({ config, isSignUpOpen, facts: composeStartFacts(base, work) }),
  });
  const { oauth } = context;
  return { server, setUp, afterAnswer, oauthAddress: door.oauthAddress, oauth };
}

function composePublic(
  { threads: { read, bulk } }: Base,
  door: Pick<PublicContext, "config" | "ports" | "services" | "baseAddress" | "noteRequests"> &
    Pick<SiteContext, "requestId" | "pictures">,
  isSignUpOpen: () => Promise<boolean>,
) {
  const context: PublicContext = {
    ...door,
    isSignUpOpen,
    draw: createDrawing(bulk.drawPng),
    partStarts: read.selectPartStarts,
    sitemapPart: read.sitemapPart,
  };
  return publicRoutes([...publicPages, ...filePages(context)], context);
}

/**
 * Parts that every door uses.
 * @param server looked up during a request, because it is built from these parts
 */
function composeDoor(base: Base, work: Work, running: Running, server: () => Server) {
  const { config, ports, metrics } = base;
  return {
    config,
    ports,
    services: work.services,
    baseAddress: createBaseAddress(config, () => running.address),
    oauthAddress: () => oauthAddress(config, running.address),
    clientIp: (request: Request) => clientIp(request, config.trustProxy, server().server),
    noteRequests: metrics.noteRequests,
    noteAnswer: work.answers.note,
    bodies: { isStopping: () => running.isStopping, parseBeside: base.threads.read.parseJson },
    giveTime: (request: Request, silenceMaxS: number) =>
      server().server?.timeout(request, silenceMaxS),
  };
}

/** What only the server needs. Also answers the other workers' questions about this one. */
function serverParts(base: Base, work: Work) {
  const { db, database, metrics, others, recentLog, crew, ports } = base;
  const { keys, keyUse, sources, imports } = work;
  const { readings, ownReadiness } = composeReadings(base, work);
  crew?.answerWith({
    metrics: async () => metrics.json(await readings()),
    ready: ownReadiness,
    errors: recentLog.entries,
    findUpload: imports.held.findOwn,
    releaseUpload: imports.held.releaseOwn,
  });
  async function allReadiness(): Promise<Readiness> {
    const [own, rest] = await Promise.all([ownReadiness(), others.ready()]);
    return mergedReadiness(own, rest);
  }
  return {
    keys,
    keyUse,
    tickSnapshot: database.tickSnapshot,
    images: createCategoryImages(db),
    openPush: sources.openPush,
    bundle: createBundle(),
    mcpIcon: MCP_ICON,
    ready: keptBriefly(allReadiness, ports.clock.monotonic, READINESS_AGE_MAX_MS),
    metrics: {
      contentType: metrics.contentType,
      text: async () => metrics.text(await readings(), others.metrics),
    },
  };
}

/** Parts of the operator's API beside those of every door; its verbs call the domains of the site. */
function composeOperator(
  { threads, secrets, cluster }: Base,
  { services, imports }: Work,
  operator: OperatorServices & Pick<SiteContext, "throttle" | "clientIp">,
) {
  return {
    operatorKeys: {
      ...operator.operatorKeys,
      async verify(authorization: string | null, nowMs: number) {
        cluster.requireCurrent?.();
        return operator.operatorKeys.verify(authorization, nowMs);
      },
    },
    idempotent: createIdempotentRequests(threads.write, secrets),
    copyNewest: services.copyNewest,
    cursors: services.cursors,
    operator,
    files: imports.files,
    passwordAddress,
    takeWrongKey: (request: Request, nowMs: number) =>
      operator.throttle.take([`operator-key ${networkOf(operator.clientIp(request))}`], nowMs),
  };
}

/** The first count takes long, because it waits for its thread to start; its age has this limit. */
const COUNTS_AGE_MAX_MS = 5_000;

/** Numbers of the data, answers and the plans for `/`. Newly imported rows show up within five seconds. */
function composeStartFacts(
  { config, threads, ports: { clock, log } }: Base,
  { accounts, services }: Work,
): () => Promise<StartFacts> {
  async function countRows(): Promise<StartFacts["tables"]> {
    try {
      return await threads.read.countRows(COUNTED_TABLES);
    } catch (error) {
      log.warn({ err: error }, "the rows could not be counted for the start page");
      return null;
    }
  }

  const counts = keptBriefly(countRows, clock.monotonic, COUNTS_AGE_MAX_MS);
  async function read() {
    try {
      return await readStart(services, config.public);
    } catch (error) {
      log.warn({ err: error }, "the answers of the start page could not be read");
      return { latestPostAt: null, answers: null };
    }
  }
  const answers = keptBriefly(read, clock.monotonic, COUNTS_AGE_MAX_MS);
  return async () => {
    const [tables, plans, found] = await Promise.all([counts(), accounts.plans(), answers()]);
    return { tables, plans, ...found, categories: services.directory.categories() };
  };
}
