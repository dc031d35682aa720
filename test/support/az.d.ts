/** What the bench of nouns uses of az: readings of a form, the likeliest first. */
declare module "az" {
  export interface Parse {
    word: string;
    tag: { POS: string; Abbr?: boolean };
    parser: unknown;
    score: number;
    /** Repeated letters that were left out to find the word. */
    stutterCnt: number;
    paradigmIdx: number;
    formCnt: number;
    normalize(): Parse;
    /** @param at number of the form */
    inflect(at: number): Parse;
  }
  interface Morph {
    (form: string): Parse[];
    init(folder: string, done: (error: unknown) => void): void;
  }
  const az: { Morph: Morph };
  export default az;
}
