import type { AccessSuspension } from '#sharing';

/** Tells a partner's server to come again later: after a 401, 403 or 404 deployed servers delete the share. */
export class AccessSuspended extends Error {
  readonly retryAfterSeconds = 120;

  constructor(readonly reason: AccessSuspension) {
    super(`access suspended: ${reason}`);
  }
}
