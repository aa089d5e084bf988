import type { AccessSuspension } from '#sharing';

/** A partner's server is to come again: deployed servers delete what they mounted on 401, 403 and 404. */
export class AccessSuspended extends Error {
  readonly retryAfterSeconds = 120;

  constructor(readonly reason: AccessSuspension) {
    super(`access suspended: ${reason}`);
  }
}
