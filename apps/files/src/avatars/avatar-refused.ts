/** A picture that is not taken, in the words and with the status of deployed servers: some refusals have the status 200. */
export class AvatarRefused extends Error {
  constructor(
    readonly status: 200 | 400 | 403 | 404 | 413,
    message: string,
  ) {
    super(message);
  }
}
