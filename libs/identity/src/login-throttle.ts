import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { ThrottleRepository, type Throttled } from '#persistence';
import { boundedCache } from '#platform';
import { AuthenticationFailed } from './authentication-failed';

const ACCOUNT_LIMIT = 10;
const ACCOUNT_WINDOW_SECONDS = 300;
const ADDRESS_LIMIT = 300;
const ADDRESS_WINDOW_SECONDS = 60;
const FORGET_EVERY_MS = 600_000;

/**
 * Bounds guessing, for all replicas together: ten failures for an account or a protected link from one address in
 * five minutes, 300 from one address in a minute. What comes from other addresses never counts against a user's
 * own, and whoever signs in with the right password clears the count of his address.
 */
@Injectable()
export class LoginThrottle {
  private forgottenAt = 0;
  /** Account buckets with failures that this process has seen. */
  private readonly failing = boundedCache<true>(10_000);

  constructor(private readonly throttle: ThrottleRepository) {}

  /**
   * Counts an attempt before its outcome is known, so that attempts at the same time count too.
   * @param subject what is being signed in to: a user id, or `link:<share id>`, which no user id can be
   * @throws AuthenticationFailed `throttled`
   */
  async attempt(subject: string, address: string): Promise<void> {
    const network = networkOf(address);
    const account = subjectBucket(subject, network);
    this.failing.set(account, true);
    const buckets = new Map([
      [account, ACCOUNT_WINDOW_SECONDS],
      [`address:${network}`, ADDRESS_WINDOW_SECONDS],
    ]);
    const counts = await this.throttle.count(buckets);
    await this.forgetSometimes();
    const limitOf = (bucket: string): number => (bucket === account ? ACCOUNT_LIMIT : ADDRESS_LIMIT);
    const exceeded = counts.filter(({ bucket, failures }) => failures > limitOf(bucket));
    if (exceeded.length === 0) return;
    // The one attempt that is the first too many; a count is handed out once.
    for (const { bucket, failures } of exceeded)
      if (failures === limitOf(bucket) + 1)
        await this.throttle.recordLockOut(
          bucket === account ? throttledSubject(subject) : ['address', network],
        );
    throw new AuthenticationFailed('throttled', Math.max(1, ...exceeded.map((count) => count.seconds_left)));
  }

  /** Whether failures of this account from this address are to be cleared by a success. */
  isFailing(subject: string, address: string): boolean {
    return this.failing.size > 0 && this.failing.has(subjectBucket(subject, networkOf(address)));
  }

  /** The right password came from this address: the count of the account there starts anew. */
  async succeeded(subject: string, address: string, counted: boolean): Promise<void> {
    const network = networkOf(address);
    const account = subjectBucket(subject, network);
    this.failing.delete(account);
    await this.throttle.clear(account);
    if (counted) await this.throttle.giveBack([`address:${network}`]);
  }

  /** Nothing was learnt from a counted attempt: it does not count. */
  async withdraw(subject: string, address: string): Promise<void> {
    const network = networkOf(address);
    await this.throttle.giveBack([subjectBucket(subject, network), `address:${network}`]);
  }

  private async forgetSometimes(): Promise<void> {
    if (Date.now() - this.forgottenAt < FORGET_EVERY_MS) return;
    this.forgottenAt = Date.now();
    await this.throttle.forgetEnded();
  }
}

const LINK = /^link:(\d+)$/;

function throttledSubject(subject: string): Throttled {
  const shareId = LINK.exec(subject)?.[1];
  return shareId === undefined ? ['account', subject] : ['share', shareId];
}

const subjectBucket = (subject: string, network: string): string =>
  `account:${subject.toLowerCase().slice(0, 64)}|${network}`;

/** An IPv4 address, or the /64 that one IPv6 subscriber has. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return (parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}
