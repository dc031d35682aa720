import { createIdempotentRequests } from "../customers/idempotency/idempotent-requests.ts";
import { passwordAddress } from "../customers/people/password-address.ts";
import { networkOf } from "../doors/site/guard/client-ip.ts";
import type { SiteContext } from "../doors/site/site-context.ts";
import type { OperatorServices } from "../verbs/operator/resource.ts";
import type { Base } from "./compose-base.ts";
import type { Work } from "./compose-work.ts";

type SiteParts = Omit<OperatorServices, "clock" | "pushRows" | "openExport"> &
  Pick<SiteContext, "throttle" | "clientIp" | "downloads">;

/** Parts of the operator's API beside those of every door; the site has them too. */
export function composeOperator(
  { config, threads, ports, secrets }: Base,
  { services, imports }: Work,
  { throttle, clientIp, downloads, ...domains }: SiteParts,
) {
  const { messengerHosts, statisticsOpenDays: openDays } = config;
  const operator: OperatorServices = {
    ...domains,
    clock: ports.clock,
    imports,
    openExport: (wish, by) => downloads.open({ ...wish, hosts: messengerHosts, openDays }, by),
    pushRows: (pushed) => threads.bulk.pushRows({ ...pushed, messengerHosts, openDays }),
  };
  return {
    operatorKeys: domains.operatorKeys,
    idempotent: createIdempotentRequests(threads.write, secrets),
    copyNewest: services.copyNewest,
    cursors: services.cursors,
    operator,
    files: imports.files,
    passwordAddress,
    takeWrongKey: (request: Request, nowMs: number) =>
      throttle.take([`operator-key ${networkOf(clientIp(request))}`], nowMs),
  };
}
