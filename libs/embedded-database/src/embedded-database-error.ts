/** The embedded database cannot be used. `message` is one sentence that says what to do. */
export class EmbeddedDatabaseError extends Error {}

/** PostgreSQL and its tools say this of a full disk. They are started in English. */
const FULL = /No space left on device/;

/**
 * A failure of PostgreSQL or its tools in a directory. That of a full disk has the code and the path of such a failure of the system, so that
 * it is explained like one.
 * @param said their output
 */
export function failureIn(directory: string, said: string, sentence: string): EmbeddedDatabaseError {
  const failure = new EmbeddedDatabaseError(sentence);
  return FULL.test(said) ? Object.assign(failure, { code: 'ENOSPC', path: directory }) : failure;
}
