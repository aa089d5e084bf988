import { Injectable } from '@nestjs/common';
import { FederationRefused } from '#federation/protocol';
import { CachedPolicy } from '#settings';

/** When a partner that was told to come back may do so. */
export const RETRY_AFTER_SECONDS = 120;

/**
 * What every message of a partner passes before anything of it is read: the one place for limits of inbound traffic.
 */
@Injectable()
export class Admission {
  constructor(private readonly policy: CachedPolicy) {}

  /** @throws FederationRefused temporarily-unavailable */
  async admit(): Promise<void> {
    const { maintenance } = this.policy.peek() ?? (await this.policy.current());
    if (maintenance) throw new FederationRefused('temporarily-unavailable');
  }
}
