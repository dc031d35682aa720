import type { CardAnswer } from "../../../catalog/channels/stored-card.ts";
import type { Config } from "../../../config.ts";
import type { Language } from "../../../values/messages/messages.ts";
import { runFor } from "../../../values/tenant.ts";
import type { Services } from "../../../verbs/services.ts";
import { renderPublic } from "./public-document.tsx";
import { type PublicContext, settingsFor } from "./public-routes.tsx";
import { readList } from "./read-public.ts";
import { type StartFacts, startPage } from "./start-page.tsx";

/** Channels in the answer to a question. */
const SHOWN = 3;
const WORD = "новости";

type Context = Pick<PublicContext, "config" | "isSignUpOpen"> & {
  facts(): Promise<StartFacts>;
};

/** Renders `/` in a language. @param address the appliance's, without a trailing slash */
export function startHtml({ config, isSignUpOpen, facts }: Context) {
  return async (language: Language, address: string): Promise<string> => {
    const reader = {
      ...{ language, address, ...settingsFor(config) },
      maySignUp: await isSignUpOpen(),
    };
    return renderPublic(startPage(reader, await facts()), reader);
  };
}

/** The latest post's time; and the answers to the questions, if the catalog is public. */
export async function readStart(
  services: Services,
  mode: Config["public"],
): Promise<Pick<StartFacts, "latestPostAt" | "answers">> {
  return runFor("the public catalog", null, async () => {
    const [newest] = await readList(services, {}, "-last_post_at", 1);
    const latestPostAt = newest?.last_post_at ?? null;
    if (mode === "off") return { latestPostAt, answers: null };
    const category =
      services.directory.categories().toSorted((one, other) => other.channels - one.channels)[0] ??
      null;
    const facets = category === null ? {} : { categoryId: category.id };
    const [leaders, growing, found] = await Promise.all([
      readList(services, facets, "-subscribers", SHOWN),
      mode === "charts" ? readList(services, {}, "-growth_30d_percent", SHOWN) : [],
      readList(services, { text: WORD }, "-subscribers", SHOWN),
    ]);
    const isGrowing = ({ metrics }: CardAnswer) => (metrics?.growth_30d ?? 0) > 0;
    return {
      latestPostAt,
      answers: { category, leaders, found, growing: growing.filter(isGrowing) },
    };
  });
}
