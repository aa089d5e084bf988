export type SecondFactorRefusal =
  | 'exists'
  | 'absent'
  | 'setup-over'
  | 'code-wrong'
  | 'answer-wrong'
  | 'too-many'
  | 'not-here';

/** An expected refusal of a call about second factors; `message` is meant for people. */
export class SecondFactorRefused extends Error {
  constructor(
    readonly reason: SecondFactorRefusal,
    message: string,
  ) {
    super(message);
  }
}
