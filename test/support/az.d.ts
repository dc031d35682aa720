/** What the bench of nouns uses of az: readings of a form, the likeliest first. */
declare module "az" {
  interface Parse {
    word: string;
    tag: { POS: string; Abbr?: boolean };
    parser: unknown;
    normalize(): Parse;
  }
  interface Morph {
    (form: string): Parse[];
    init(folder: string, done: (error: unknown) => void): void;
  }
  const az: { Morph: Morph };
  export default az;
}
