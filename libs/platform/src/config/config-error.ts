/** A configuration with which the process does not start. Each sentence, a line of `message`, says what to change. */
export class ConfigError extends Error {
  readonly sentences: readonly string[];

  constructor(sentences: string | readonly string[], options?: ErrorOptions) {
    const all = typeof sentences === 'string' ? [sentences] : sentences;
    super(all.join('\n'), options);
    this.sentences = all;
  }
}
