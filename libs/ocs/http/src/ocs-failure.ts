/** A refusal with an OCS code and a message for the caller. */
export class OcsFailure extends Error {
  constructor(
    readonly code: number,
    readonly clientMessage: string | null,
  ) {
    super(clientMessage ?? `OCS ${code}`);
  }
}

/** Converts an expected failure of a domain into an OCS refusal; undefined for other failures. */
export type FailureMapping = (error: unknown) => OcsFailure | undefined;
