/** Searches any amount of text for secrets in their possible forms: unchanged, and in hexadecimal digits. */
export class SecretSearch {
  /** Forms of all secrets, by length: every part of the text with that length is looked up. */
  private readonly forms = new Map<number, Set<string>>();
  readonly found = new Set<string>();
  charactersRead = 0;

  constructor(secrets: Iterable<string>) {
    for (const secret of secrets) {
      this.add(secret);
      this.add(Buffer.from(secret).toString('hex'));
    }
  }

  read(text: string): void {
    this.charactersRead += text.length;
    // Forms contain only these characters.
    for (const [run] of text.matchAll(/[A-Za-z0-9_-]+/g))
      for (const [length, forms] of this.forms)
        for (let at = 0; at + length <= run.length; at++) {
          const stretch = run.slice(at, at + length);
          if (forms.has(stretch)) this.found.add(stretch);
        }
  }

  private add(form: string): void {
    const known = this.forms.get(form.length) ?? new Set();
    this.forms.set(form.length, known.add(form));
  }
}
