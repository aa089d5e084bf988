/** Detail of a refusal with status 400 or 409 (RFC 7644, section 3.12). */
export type ScimErrorType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

/** An expected refusal of a SCIM request; `message` is meant for the client's operator. */
export class ScimFailed extends Error {
  constructor(
    /** HTTP status. */
    readonly status: 400 | 401 | 404 | 409 | 412,
    message: string,
    readonly type?: ScimErrorType,
  ) {
    super(message);
  }
}
