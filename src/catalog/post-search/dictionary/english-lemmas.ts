import type { Hunspell, Lemmas } from "./compile.ts";
import { expandHunspell } from "./hunspell.ts";

/**
 * English lemmas of hunspell's dictionary (SCOWL), which checks spelling: its suffixes make inflected forms and
 * other words alike, and irregular forms are words of their own.
 */

/** Flags of inflected forms: walks, walked, walking, nicest, buildings. */
const INFLECTED = new Set("SDGTJ");
/** Flags of other words, with that of their plural: creation and creations, walker and walkers. */
const DERIVED: Readonly<Record<string, string>> = {
  N: "X",
  R: "Z",
  V: "",
  Y: "",
  P: "",
  B: "",
  L: "",
  H: "",
};
const WORD = /^[a-z]{2,}$/;
const SHORT = /^[^aeiou]*[aeiou][^aeiouwxy]$/;

export function englishLemmas({ aff, dic }: Hunspell): Lemmas {
  const lemmas: Lemmas = new Map();
  const add = (name: string, forms: readonly string[]): void => {
    const folded = name.toLowerCase();
    if (!WORD.test(folded)) return;
    const all = lemmas.get(folded) ?? new Set([folded]);
    for (const form of forms) all.add(form.toLowerCase());
    lemmas.set(folded, all);
  };
  const words = [...expandHunspell(aff, dic)];
  const bases = new Set(words.map(([base]) => base));
  for (const [base, forms] of words) {
    const of = (wanted: string) => forms.flatMap(([flag, form]) => (flag === wanted ? form : []));
    // Nicer is a form of nice, which has nicest; walker is another word, and so is news.
    const isCompared = of("T").length > 0;
    const isInflected = (flag: string) => INFLECTED.has(flag) || (isCompared && flag === "R");
    add(
      base,
      of("S").filter((form) => !bases.has(form)),
    );
    const inflected = forms.filter(([flag]) => flag !== "S" && isInflected(flag));
    // The dictionary makes hoping of hop, which does not double its consonant there.
    const name = SHORT.test(base) && bases.has(`${base}e`) ? `${base}e` : base;
    add(
      name,
      inflected.map(([, form]) => form),
    );
    for (const [flag, plural] of Object.entries(DERIVED)) {
      if (isInflected(flag)) continue;
      for (const [at, word] of of(flag).entries()) add(word, of(plural).slice(at, at + 1));
    }
  }
  for (const [name, form] of [...regular(lemmas), ...irregular()]) {
    // A form that has others, such as rose, stays a word of its own too.
    if (lemmas.get(form)?.size === 1) lemmas.delete(form);
    lemmas.get(name)?.add(form);
  }
  return lemmas;
}

/** Regular forms that are words of their own too: hoping of hope, running of run, hotter of hot. */
function regular(lemmas: Lemmas): [name: string, form: string][] {
  return [...lemmas.keys()].flatMap((form): [string, string][] => {
    const [, stem = "", ending = ""] = /^(\w*[aeiouy]\w+)(ed|ing|er|est)$/.exec(form) ?? [];
    const pair = { er: "est", est: "er" }[ending];
    if (stem === "" || (pair !== undefined && !lemmas.has(stem + pair))) return [];
    const name = [`${stem}e`, stem.replace(/([bdfgklmnprstvz])\1$/, "$1"), stem].find((one) =>
      lemmas.has(one),
    );
    return name === undefined ? [] : [[name, form]];
  });
}

function irregular(): [name: string, form: string][] {
  return IRREGULAR.split(/[|\n]/).flatMap((line) => {
    const [name = "", ...forms] = line.trim().split(" ");
    return forms.map((form): [string, string] => [name, form]);
  });
}

const IRREGULAR = `
  be am is are was were been | have has had | do does did done | go goes went gone | say said | make made
  get got gotten | know knew known | think thought | take took taken | see saw seen | come came | want wanted
  find found | give gave given | tell told | feel felt | become became | leave left | bring brought | begin began begun
  keep kept | hold held | write wrote written | stand stood | hear heard | mean meant | meet met | run ran | pay paid
  sit sat | speak spoke spoken | lie lay lain | lead led | grow grew grown | lose lost | fall fell fallen | send sent
  build built | understand understood | draw drew drawn | break broke broken | spend spent | rise rose risen
  drive drove driven | buy bought | wear wore worn | choose chose chosen | seek sought | throw threw thrown
  catch caught | deal dealt | win won | teach taught | fight fought | sell sold | forget forgot forgotten | eat ate eaten
  sing sang sung | drink drank drunk | swim swam swum | ring rang rung | fly flew flown | lay laid | show shown
  sleep slept | steal stole stolen | shake shook shaken | hide hid hidden | bite bit bitten | bend bent | lend lent
  shoot shot | shine shone | stick stuck | strike struck stricken | swear swore sworn | tear tore torn
  wake woke woken | weave wove woven | bind bound | bear bore borne | beat beaten | blow blew blown | breed bred
  feed fed | flee fled | forbid forbade forbidden | forgive forgave forgiven | freeze froze frozen | grind ground
  hang hung | sink sank sunk | slide slid | spin spun | spring sprang sprung | stink stank stunk | sting stung
  swing swung | wind wound | withdraw withdrew withdrawn | undergo underwent undergone | overcome overcame
  arise arose arisen | awake awoke awoken | befall befell befallen | dig dug | dream dreamt | learn learnt | burn burnt
  light lit | kneel knelt | leap leapt | mistake mistook mistaken | prove proven | ride rode ridden | sew sewn
  shrink shrank shrunk | sweep swept | weep wept | creep crept | undertake undertook undertaken | misunderstand misunderstood
  man men | woman women | child children | person people | foot feet | tooth teeth | goose geese | mouse mice | ox oxen
  life lives | wife wives | knife knives | leaf leaves | half halves | wolf wolves | shelf shelves | thief thieves
  loaf loaves | calf calves | self selves | elf elves | index indices | matrix matrices | vertex vertices
  appendix appendices | analysis analyses | basis bases | crisis crises | thesis theses | hypothesis hypotheses
  diagnosis diagnoses | synthesis syntheses | axis axes | phenomenon phenomena | criterion criteria | medium media
  stimulus stimuli | nucleus nuclei | radius radii | fungus fungi | bacterium bacteria | curriculum curricula
  good better best | bad worse worst | far farther farthest further furthest`;
