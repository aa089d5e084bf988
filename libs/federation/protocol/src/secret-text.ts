/**
 * A text that must not be seen: shared secrets, and requests that carry one.
 *
 * Printing, logging and serialising it give `[secret]`; only `reveal` gives the text, at the place that sends,
 * stores or compares it.
 */
export class SecretText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  /** Text for `util.inspect`, and with it for `console.log` and assertion messages. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}
