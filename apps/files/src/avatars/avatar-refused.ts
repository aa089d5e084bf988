/** A refused picture, with the text and the status of deployed servers, which use status 200 for some refusals. */
export class AvatarRefused extends Error {
  constructor(
    readonly status: 200 | 400 | 403 | 404 | 413,
    message: string,
  ) {
    super(message);
  }
}
