import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { sitePages } from "../../../src/doors/site/site-pages.ts";
import { startAppliance } from "../../support/appliance.ts";
import {
  CHROMIUM,
  launchBrowser,
  openWindow,
  press,
  seriousFaults,
  signIn,
  statusOf,
  tooWide,
  unfold,
  type Window,
} from "../../support/site-browser.ts";
import { type SiteWorld, startSiteWorld } from "../../support/site-world.ts";
import { addPerson, visitorOf } from "../../support/visitor.ts";

/** The site in a real browser, if the machine has one. */
if (CHROMIUM === undefined) console.warn("No Chromium here: the account site was not looked at.");
const inBrowser = test.skipIf(CHROMIUM === undefined);
const SIGN_UP = "/account/sign-up/";
const LOCALES = ["en-GB", "ru-RU"] as const;
const SCHEMES = ["light", "dark"] as const;
const WIDTHS = [390, 1280] as const;
const HEIGHT = 844;
/** Time for visiting and auditing some hundred pages in four looks on a busy machine. */
const VISITS_MS = 900_000;
const TWO_FRAMES =
  "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))";

let browser: Browser;
let world: SiteWorld;
let address: string;
let state: Awaited<ReturnType<Window["context"]["storageState"]>>;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  browser = await launchBrowser();
  world = await startSiteWorld();
  address = world.appliance.app.listen();
  const { page, context } = await openWindow(browser, address);
  await signIn(page, world.owner);
  state = await context.storageState();
  await context.close();
});
afterAll(async () => {
  await browser?.close();
  await world?.appliance.close();
});

const openOwn = (options: Parameters<typeof openWindow>[2] = {}) =>
  openWindow(browser, address, { storageState: state, ...options });

interface Look {
  locale: (typeof LOCALES)[number];
  colorScheme: (typeof SCHEMES)[number];
}
const LOOKS: Look[] = LOCALES.flatMap((locale) =>
  SCHEMES.map((colorScheme) => ({ locale, colorScheme })),
);

inBrowser(
  "no page has a serious accessibility fault, is wider than its screen, or violates its content security policy",
  async () => {
    const windows = new Map<string, Window>();
    const windowFor = async (isOpen: boolean, { locale, colorScheme }: Look): Promise<Window> => {
      const name = `${isOpen} ${locale} ${colorScheme}`;
      const known = windows.get(name);
      if (known !== undefined) return known;
      const viewport = { width: WIDTHS[0], height: HEIGHT };
      const options = { locale, colorScheme, viewport };
      const made = await (isOpen ? openWindow(browser, address, options) : openOwn(options));
      windows.set(name, made);
      return made;
    };
    const addresses = sitePages.flatMap(({ path: name, access }) => {
      const paths = world.pages[name];
      expect(paths, `addresses of ${name}: test/support/site-world.ts`).toBeDefined();
      return (paths ?? []).map((path) => ({ path, isOpen: access === "anybody" }));
    });
    for (const { path, isOpen } of addresses) {
      for (const look of LOOKS) {
        const { page, go } = await windowFor(isOpen, look);
        await go(path);
        expect(await tooWide(page), `${path}, ${look.locale}`).toBe(0);
        await unfold(page);
        expect(await tooWide(page), `${path} unfolded, ${look.locale}`).toBe(0);
        // The page's next layout begins at this width, and each change redraws the charts.
        const width = WIDTHS.find((one) => one !== page.viewportSize()?.width) ?? WIDTHS[0];
        await page.setViewportSize({ width, height: HEIGHT });
        // Layout and charts are done in the frames after the change.
        await page.evaluate(TWO_FRAMES);
        expect(await tooWide(page), `${path} at ${width}, ${look.locale}`).toBe(0);
        expect(await seriousFaults(page), path).toEqual([]);
      }
    }
    for (const { faults, context } of windows.values()) {
      expect(faults).toEqual([]);
      await context.close();
    }
  },
  VISITS_MS,
);

inBrowser(
  "the pages of sign-up have no serious accessibility fault, whatever faults they report",
  async () => {
    const appliance = await startAppliance({
      ...{ KANALOG_PORT: "0", KANALOG_SIGN_UP: "on", KANALOG_BASE_URL: "http://localhost" },
    });
    await addPerson(appliance);
    const at = appliance.app.listen();
    const email = "nina@example.com";
    await visitorOf(appliance).post(SIGN_UP, { action: "send", email });
    await appliance.app.workAfterAnswers();
    await appliance.app.mailer.runDue();
    const link = /\/account\/sign-up\/\?token=[\w-]+/.exec(
      appliance.ports.mail.sent[0]?.text ?? "",
    );
    for (const colorScheme of SCHEMES) {
      const viewport = { width: colorScheme === "dark" ? 390 : 1280, height: HEIGHT };
      const { page, go, faults, context } = await openWindow(browser, at, {
        colorScheme,
        viewport,
      });
      for (const path of [SIGN_UP, `${SIGN_UP}?sent`, link?.[0] ?? "", `${SIGN_UP}?token=used`]) {
        await go(path);
        expect(await seriousFaults(page), path).toEqual([]);
        expect(await tooWide(page), path).toBe(0);
      }
      await go(link?.[0] ?? "");
      await page.locator("main button[type=submit]").click();
      await page.locator("[aria-invalid]:focus").waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      expect(faults).toEqual([]);
      await context.close();
    }
    await appliance.close();
  },
);

inBrowser(
  "the start page has no serious accessibility fault, and shows its plans completely on a phone",
  async () => {
    for (const [locale, colorScheme] of [
      ["en-GB", "light"],
      ["ru-RU", "dark"],
    ] as const) {
      const viewport = { width: 390, height: 844 };
      const { page, go, faults, context } = await openWindow(browser, address, {
        ...{ locale, colorScheme, viewport },
      });
      await go("/");
      expect(await seriousFaults(page)).toEqual([]);
      expect(await tooWide(page)).toBe(0);
      const plans = page.locator("ul.plans > li");
      const cut = await plans.evaluateAll((all) =>
        all.map((plan) => plan.scrollWidth - plan.clientWidth),
      );
      expect(cut.length).toBeGreaterThan(3);
      expect(cut).toEqual(cut.map(() => 0));
      expect(faults).toEqual([]);
      await context.close();
    }
  },
);

inBrowser(
  "the keys page enables a webhook that failures disabled, and not one that staff disabled",
  async () => {
    const { page, faults, context } = await openOwn();
    const { failed } = world.webhooks;
    const stateOf = async () =>
      (await world.appliance.app.domains.webhooks.webhook(failed)).disabledReason;
    expect(await stateOf()).toBe("failures");
    await page.goto("/account/keys/");
    await press(page, "Enable");
    expect(await statusOf(page)).toBe("The webhook is enabled. Posts are sent from now on.");
    expect(await stateOf()).toBe("");

    await page.goto(`/staff/webhooks/${failed}/`);
    await press(page, "Disable");
    expect(await page.locator(".fault").textContent()).not.toBe("");
    await page.getByLabel("Reason").fill("It sends us spam");
    await press(page, "Disable");
    expect(await statusOf(page)).toBe("Webhook disabled.");
    expect(await stateOf()).toBe("staff");

    await page.goto("/account/keys/");
    expect(await page.content()).not.toContain("It sends us spam");
    await press(page, "Enable");
    expect(await page.getByRole("alert").textContent()).toBe(
      "The webhook was disabled by staff: contact support.",
    );
    expect(await stateOf()).toBe("staff");
    expect(faults).toEqual([]);
    await context.close();
  },
);

inBrowser("switching the language keeps the page, and lasts", async () => {
  const { page, faults, context } = await openOwn();
  await page.goto("/account/channels/1/?days=90");
  await page.getByRole("button", { name: "Русский" }).click();
  await page.locator("html[lang=ru]").waitFor();
  expect(new URL(page.url()).search).toBe("?days=90");
  await page.goto("/staff/");
  expect(await page.locator("h1").textContent()).toBe("Сводка");
  await page.getByRole("button", { name: "English" }).click();
  await page.getByRole("heading", { name: "Summary" }).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

inBrowser(
  "at 1280 pixels each option of the search fields is completely readable, in both languages",
  async () => {
    const cut = `[...document.querySelectorAll("main select:not([name=territory])")].flatMap((select) => {
    const style = getComputedStyle(select);
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = style.font;
    const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const arrow = 18;
    return [...select.options].map(({ label }) => label).filter(
      (label) => pen.measureText(label).width + arrow > room,
    );
  })`;
    for (const locale of LOCALES) {
      const { page, context } = await openOwn({ locale, viewport: { width: 1280, height: 844 } });
      for (const path of ["/account/channels/", "/account/posts/", "/account/trending/"]) {
        await page.goto(path);
        await unfold(page);
        expect(
          await page.evaluate("document.querySelectorAll('main select').length"),
        ).toBeGreaterThan(2);
        expect(await page.evaluate(cut), `${path}, ${locale}`).toEqual([]);
      }
      await context.close();
    }
  },
);

inBrowser("at 1280 pixels tables of keys fit with a question open, in both languages", async () => {
  for (const locale of LOCALES) {
    const { page, go, context } = await openOwn({
      locale,
      viewport: { width: 1280, height: 900 },
    });
    await go("/account/keys/");
    await unfold(page);
    expect(await page.locator("td details.confirm[open]").count()).toBeGreaterThan(0);
    const wider = await page
      .locator("section.scroll")
      .evaluateAll((all) => all.map((box) => box.scrollWidth - box.clientWidth));
    expect(wider, locale).toEqual(wider.map(() => 0));
    await context.close();
  }
});

inBrowser("the pictures of a bot's steps are dark on a dark page", async () => {
  const lightness = async (colorScheme: "light" | "dark") => {
    const { page, context } = await openOwn({ colorScheme });
    await page.goto("/staff/sources/telegram/");
    const picture = (await page.locator(".picture").screenshot()).toString("base64");
    await page.goto("about:blank");
    const mean = await page.evaluate(`new Promise((done) => {
      const image = new Image();
      image.onload = () => {
        const pen = Object.assign(document.createElement("canvas"), { width: 50, height: 50 }).getContext("2d");
        pen.drawImage(image, 0, 0, 50, 50);
        const { data } = pen.getImageData(0, 0, 50, 50);
        done(data.reduce((sum, part) => sum + part, 0) / data.length);
      };
      image.src = "data:image/png;base64,${picture}";
    })`);
    await context.close();
    return mean as number;
  };
  // Out of 255. A quarter means that the picture is not transparent.
  expect(await lightness("light")).toBeGreaterThan(200);
  expect(await lightness("dark")).toBeLessThan(130);
});

inBrowser("the picture of a Telegram channel's settings has the page's language", async () => {
  for (const [locale, name] of [
    ["en-GB", "telegram-admin.svg"],
    ["ru-RU", "telegram-admin.ru.svg"],
  ]) {
    const { page, context } = await openOwn({ locale: locale ?? "" });
    await page.goto("/staff/sources/2/");
    expect(await page.locator(".picture").getAttribute("src")).toEndWith(`/docs/pictures/${name}`);
    const width = "document.querySelector('.picture').naturalWidth";
    expect(await page.evaluate(width)).toBe(720);
    await context.close();
  }
});

inBrowser(
  "on a phone the diagram of mentions and tables by day fit, readably and each day in one line",
  async () => {
    for (const locale of LOCALES) {
      const { page, context } = await openOwn({
        locale,
        viewport: { width: 390, height: HEIGHT },
      });
      await page.goto("/account/channels/8/mentions/");
      const [right, pixels] = (await page.evaluate(`(() => {
        const diagram = document.querySelector(".neighbourhood");
        const { right, width } = diagram.getBoundingClientRect();
        const [name] = diagram.querySelectorAll("text:not(.own)");
        const size = parseFloat(getComputedStyle(name).fontSize);
        return [right, (size * width) / diagram.viewBox.baseVal.width];
      })()`)) as [number, number];
      expect(right).toBeLessThan(WIDTHS[0]);
      expect(pixels).toBeGreaterThan(10);
      for (const path of ["/account/channels/1/?days=90", "/account/"]) {
        await page.goto(path);
        await unfold(page);
        const box = page.locator("details .scroll").first();
        expect(await box.evaluate((one) => one.scrollWidth - one.clientWidth), path).toBe(0);
        const days = box.locator("tbody th time");
        expect(await days.count()).toBeGreaterThan(20);
        expect(
          await days.evaluateAll(
            (all) => all.filter((day) => day.getClientRects().length > 1).length,
          ),
        ).toBe(0);
      }
      await context.close();
    }
  },
);

inBrowser("a pointer's target in the catalog is at least 24 pixels large", async () => {
  for (const width of WIDTHS) {
    const { page, context } = await openOwn({ viewport: { width, height: HEIGHT } });
    await page.goto("/account/channels/");
    const sizes = await page.locator(".catalog label").evaluateAll((all) =>
      all.map((label) => {
        const { width, height } = label.getBoundingClientRect();
        return Math.min(width, height);
      }),
    );
    expect(sizes.length).toBeGreaterThan(40);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(24);
    const box = page.locator(".catalog label").first();
    await box.click({ position: { x: 2, y: 2 } });
    expect(await box.locator("input").isChecked()).toBe(true);
    await context.close();
  }
});

inBrowser("on a phone a table's rows are blocks that name their columns", async () => {
  const { page, context } = await openOwn({ viewport: { width: 390, height: 844 } });
  for (const path of ["/account/members/", "/account/keys/", "/staff/people/"]) {
    await page.goto(path);
    const table = page.locator("table.data").first();
    expect((await table.boundingBox())?.width, path).toBeLessThanOrEqual(390);
    expect(await table.locator("td[data-label]").count(), path).toBeGreaterThan(0);
  }
  await context.close();
});

inBrowser(
  "a form with faults is shown again with what was typed, and the focus in its first wrong field",
  async () => {
    const { page, context, faults } = await openOwn();
    await page.goto("/account/webhooks/");
    await page.getByLabel("Address").fill("http://hooks.example.com/");
    await page.getByLabel("Channels", { exact: true }).fill("1 2");
    await press(page, "Create");
    await page.locator("[aria-invalid]:focus").waitFor();
    const address = page.getByLabel("Address");
    expect(await address.inputValue()).toBe("http://hooks.example.com/");
    expect(await page.evaluate("document.activeElement.name")).toBe("url");
    expect(await page.getByLabel("Channels", { exact: true }).inputValue()).toBe("1 2");
    expect(faults).toEqual([]);
    await context.close();
  },
);

inBrowser(
  "a receiver's answer and the reason for a rejected row are shown in the visitor's language",
  async () => {
    const { page, context } = await openOwn({ locale: "ru-RU" });
    const { failed } = world.webhooks;
    for (const path of ["/account/keys/", "/staff/webhooks/", `/staff/webhooks/${failed}/`]) {
      await page.goto(path);
      const text = await page.locator("main").textContent();
      expect(text, path).toContain("Получатель ответил 503.");
    }
    await page.goto("/staff/imports/1/");
    expect(await page.locator(".rejects").textContent()).toContain("Введите целое число.");
    await context.close();
  },
);
