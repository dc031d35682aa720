/** Numbers of terms, by the stem, form or mark that a text must contain. */
export class NumbersByText {
  private readonly byText = new Map<string, number[]>();

  get size(): number {
    return this.byText.size;
  }

  of(text: string): readonly number[] | undefined {
    return this.byText.get(text);
  }

  add(text: string, number: number): void {
    const numbers = this.byText.get(text);
    if (numbers === undefined) this.byText.set(text, [number]);
    else numbers.push(number);
  }

  remove(text: string, number: number): void {
    const numbers = (this.byText.get(text) ?? []).filter((one) => one !== number);
    if (numbers.length === 0) this.byText.delete(text);
    else this.byText.set(text, numbers);
  }
}
