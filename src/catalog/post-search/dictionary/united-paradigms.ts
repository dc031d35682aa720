/**
 * Hunspell's Russian dictionary checks spelling, and lists forms as words of their own that its suffixes do
 * not make: владельцем beside владелец, платежи beside платёж, люди beside человек. This unites them.
 */

/** Endings of plurals, which have forms of their own, and the nominatives that they replace. */
const PLURALS: readonly Ending[] = [
  [/(?<=[жчш])и$/, ""],
  [/ят(?:а|ами|ам|ах)$/, "енок"],
  [/ат(?:а|ами|ам|ах)$/, "онок"],
  [/ья$/, ""],
  [/ья$/, "о"],
  [/ы$/, "а"],
  [/а$/, "о"],
];

/** Endings of words that are a single form. */
const FORMS: readonly Ending[] = [
  [/[ьй]?ц(?:ев|ем|ов|ом)$/, "ец"],
  [/(?<=[жчшщц])(?:ем|ом|ей|ев|ов)$/, ""],
  [/(?<=[жчшщц])(?:ей|ой)$/, "а"],
  [/$/, "а"],
  [/$/, "о"],
  [/$/, "ы"],
  [/(?:ов|ев|ей)$/, "и"],
  [/(?:ов|ев)$/, "ы"],
  [/ьев$/, ""],
  [/ьев$/, "о"],
  [/ьев$/, "ье"],
  [/ий$/, "ья"],
  [/ей$/, "ья"],
  [/ь$/, "я"],
  [/[ое]к$/, "ки"],
  [/[ое]к$/, "ко"],
  [/[ое]к$/, "ка"],
  [/ель$/, "ля"],
  [/ел$/, "ло"],
  [/ен$/, "на"],
  [/ец$/, "це"],
  [/(?:ю|ем)$/, "й"],
];

type Ending = readonly [ending: RegExp, nominative: string];

/** Feminine words, such as судья and вина, have forms that a plural does not. */
const SINGULAR = /ью$|[ое]й$/;

/** Plurals and irregular forms by their nominative. */
const IRREGULAR = `
  бремя бремени бременем | время времени временем времена времен | вымя вымени выменем | темя темени теменем
  знамя знамени знаменем знамена знамен | имя имени именем имена имен | пламя пламени пламенем
  племя племени племенем племена племен | семя семени семенем семена семян
  стремя стремени стременем стремена стремян | друг друзья друзей | ребенок дети детей детьми
  человек люди людей людьми | путь пути путем путей путями | мать матери матерью | дочь дочери дочерью дочерьми
  сын сыновья | муж мужья мужей | сосед соседи | черт черти | небо небеса | чудо чудеса | тело телеса | ухо уши
  око очи | колено колени | плечо плечи | хозяин хозяева | господин господа | цветок цветы | судно суда
  князь князья | зять зятья | дядя дядья | наем найма найму наймом найме | заем займ | рубль рублей | день дней | год годов
  год лет | письмо писем | деньга деньги денег | вода воду | рука руку | нога ногу | голова голову | зима зиму
  земля землю | стена стену | цена цену | река реку | гора гору | доска доску | душа душу | среда среду
  щека щеку | спина спину | котеночек котятки | сторона сторону | борода бороду | строка строку`;

const IRREGULAR_FORMS = new Map(
  IRREGULAR.split(/[|\n]/).flatMap((line) => {
    const [nominative = "", ...forms] = line.trim().split(/\s+/);
    return forms.map((form): [string, string] => [form, nominative]);
  }),
);

/** @param lemmas forms by word; words that are forms of others give theirs to them */
export function uniteParadigms(lemmas: Map<string, Set<string>>): void {
  for (const [name, forms] of [...lemmas]) {
    const irregular = lemmas.get(IRREGULAR_FORMS.get(name) ?? "");
    const regular = nominativesOf(name, forms).flatMap((one) => lemmas.get(one) ?? []);
    // Irregular forms are of one word: лет is of год, and not of лето.
    const owners = new Set(irregular ? [irregular] : regular.filter(({ size }) => size > 1));
    owners.delete(forms);
    for (const owner of owners) for (const form of forms) owner.add(form);
    if (owners.size > 0) lemmas.delete(name);
  }
  setApart(lemmas);
}

/** The dictionary makes ребята of ребёнок, whose plural is дети. */
function setApart(lemmas: Map<string, Set<string>>): void {
  const child = lemmas.get("ребенок");
  const folks = [...(child ?? [])].filter((form) => form.startsWith("ребят"));
  for (const form of folks) child?.delete(form);
  if (folks.length > 0) lemmas.set("ребята", new Set(folks));
}

function nominativesOf(name: string, forms: ReadonlySet<string>): string[] {
  const isPlural = forms.size > 1 && ![...forms].some((form) => SINGULAR.test(form));
  const endings = forms.size === 1 ? FORMS : isPlural ? PLURALS : [];
  return endings.flatMap(([ending, nominative]) =>
    ending.test(name) ? name.replace(ending, nominative) : [],
  );
}
