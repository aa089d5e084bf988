import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { ThrottleRepository } from '#persistence';
import { AuthenticationFailed } from './authentication-failed';

const ACCOUNT_LIMIT = 10;
const ACCOUNT_WINDOW_SECONDS = 300;
const ADDRESS_LIMIT = 300;
const ADDRESS_WINDOW_SECONDS = 60;
const FORGET_EVERY_MS = 600_000;

/**
 * Bounds guessing, for all replicas together: ten failures for an account from one address in five minutes, 300
 * from one address in a minute. What comes from other addresses never counts against a user's own.
 */
@Injectable()
export class LoginThrottle {
  private forgottenAt = 0;

  constructor(private readonly throttle: ThrottleRepository) {}

  /**
   * Counts an attempt before its outcome is known, so that attempts at the same time count too.
   * @returns takes the attempt back; called when it succeeded
   * @throws AuthenticationFailed `throttled`
   */
  async attempt(uid: string, address: string): Promise<() => Promise<void>> {
    const network = networkOf(address);
    const account = `account:${uid.toLowerCase().slice(0, 64)}|${network}`;
    const buckets = new Map([
      [account, ACCOUNT_WINDOW_SECONDS],
      [`address:${network}`, ADDRESS_WINDOW_SECONDS],
    ]);
    const counts = await this.throttle.count(buckets);
    await this.forgetSometimes();
    const exceeded = counts.filter(
      (count) => count.failures > (count.bucket === account ? ACCOUNT_LIMIT : ADDRESS_LIMIT),
    );
    if (exceeded.length > 0)
      throw new AuthenticationFailed('throttled', Math.max(1, ...exceeded.map((count) => count.seconds_left)));
    return () => this.throttle.giveBack(buckets.keys());
  }

  private async forgetSometimes(): Promise<void> {
    if (Date.now() - this.forgottenAt < FORGET_EVERY_MS) return;
    this.forgottenAt = Date.now();
    await this.throttle.forgetEnded();
  }
}

/** An IPv4 address, or the /64 that one IPv6 subscriber has. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16)).join(':');
}
