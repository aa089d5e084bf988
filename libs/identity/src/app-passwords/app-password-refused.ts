export type AppPasswordRefusal =
  | 'name-refused'
  | 'scopes-refused'
  | 'expiry-refused'
  | 'too-many'
  | 'unknown';

/** An expected refusal of a call about app passwords; `message` is meant for people. */
export class AppPasswordRefused extends Error {
  constructor(
    readonly reason: AppPasswordRefusal,
    message: string,
  ) {
    super(message);
  }
}
