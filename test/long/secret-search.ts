/**
 * Looks for secrets in any amount of text, in the forms in which they could have got there: as they are, and in
 * hexadecimal digits.
 */
export class SecretSearch {
  /** Forms of all secrets, by length: every stretch of that length is looked up. */
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
    // No form has other characters than these.
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
