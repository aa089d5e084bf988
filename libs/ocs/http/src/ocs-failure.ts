/** A refusal that already is an OCS code and a message for the caller. */
export class OcsFailure extends Error {
  constructor(
    readonly code: number,
    readonly clientMessage: string | null,
  ) {
    super(clientMessage ?? `OCS ${code}`);
  }
}

/** Turns an expected failure of some domain into an OCS refusal; undefined when it is none of its own. */
export type FailureMapping = (error: unknown) => OcsFailure | undefined;
