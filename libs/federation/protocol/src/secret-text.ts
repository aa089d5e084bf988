/**
 * A text that must not be seen: shared secrets, and requests that contain one.
 *
 * Printing, logging and serialising it give `[secret]`. Only `reveal` gives the text, for code that sends,
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
