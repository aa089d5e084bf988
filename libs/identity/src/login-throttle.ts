import { Injectable } from '@nestjs/common';
import { ThrottleRepository, type Throttled } from '#persistence';
import { acting, boundedCache, claimedClient, networkOf } from '#platform';
import { AuthenticationFailed } from './authentication-failed';

const ACCOUNT_LIMIT = 10;
/** Limit for an account from one address that several clients seem to share. */
const SHARED_ADDRESS_LIMIT = 100;
const ACCOUNT_WINDOW_SECONDS = 300;
/** Limit for the second factor of an account, from all addresses. */
const FACTOR_LIMIT = 50;
const FACTOR_WINDOW_SECONDS = 3600;
const ADDRESS_LIMIT = 300;
const ADDRESS_WINDOW_SECONDS = 60;
const FORGET_EVERY_MS = 600_000;

/** Subject of an attempt, and its limit. */
interface Bucket {
  readonly name: string;
  readonly limit: number;
  readonly seconds: number;
  /** Name in the audit log. */
  readonly about: Throttled;
}

/**
 * Limits guessing, for all replicas together: ten failures for an account or a protected link from one address in
 * five minutes, 300 from one address in a minute. Attempts from other addresses never count against a user's own, and
 * the right password resets the count of its address.
 *
 * If an address looks like a proxy that TRUSTED_PROXIES does not name, its clients are distinguished by the forwarded addresses:
 * ten failures for each client, and a hundred for the proxy, so that made-up clients do not make guessing free.
 */
@Injectable()
export class LoginThrottle {
  private forgottenAt = 0;
  /** Account buckets with failures that this process knows. */
  private readonly failing = boundedCache<true>(10_000);

  constructor(private readonly throttle: ThrottleRepository) {}

  /**
   * Counts an attempt before its outcome is known, so that simultaneous attempts count, too.
   * @param subject a user id, or `link:<share id>` or `factor:<user id>`, which cannot be user ids
   * @throws AuthenticationFailed `throttled`
   */
  async attempt(subject: string, address: string): Promise<void> {
    const buckets = bucketsOf(subject, address);
    this.failing.set(buckets[0].name, true);
    const counts = await this.throttle.count(new Map(buckets.map(({ name, seconds }) => [name, seconds])));
    await this.forgetSometimes();
    const exceeded = buckets.flatMap((bucket) =>
      counts
        .filter((count) => count.bucket === bucket.name && count.failures > bucket.limit)
        .map((count) => ({ ...bucket, ...count })),
    );
    if (exceeded.length === 0) return;
    // True for exactly one attempt, the first too many, because each count is returned once.
    for (const { about, failures, limit } of exceeded)
      if (failures === limit + 1) await this.throttle.recordLockOut(about);
    throw new AuthenticationFailed('throttled', Math.max(1, ...exceeded.map((count) => count.seconds_left)));
  }

  /** Whether a success of this account from this address has failures to reset. */
  isFailing(subject: string, address: string): boolean {
    return this.failing.size > 0 && this.failing.has(bucketsOf(subject, address)[0].name);
  }

  /** Notes that the right password came from this address: the count of the account there starts again. */
  async succeeded(subject: string, address: string, counted: boolean): Promise<void> {
    const [account, ...others] = bucketsOf(subject, address);
    this.failing.delete(account.name);
    await this.throttle.clear(account.name);
    if (counted) await this.throttle.giveBack(others.map(({ name }) => name));
  }

  /** Removes a counted attempt that showed nothing about the password. */
  async withdraw(subject: string, address: string): Promise<void> {
    await this.throttle.giveBack(bucketsOf(subject, address).map(({ name }) => name));
  }

  private async forgetSometimes(): Promise<void> {
    if (Date.now() - this.forgottenAt < FORGET_EVERY_MS) return;
    this.forgottenAt = Date.now();
    await this.throttle.forgetEnded();
  }
}

/** The first bucket is that of the account or link, and the client. */
function bucketsOf(subject: string, address: string): [Bucket, ...Bucket[]] {
  const network = networkOf(address);
  const atAddress = `account:${subject.toLowerCase().slice(0, 80)}|${network}`;
  const ofSubject = { seconds: ACCOUNT_WINDOW_SECONDS, about: throttledSubject(subject) };
  const ofAddress: Bucket = {
    name: `address:${network}`,
    limit: ADDRESS_LIMIT,
    seconds: ADDRESS_WINDOW_SECONDS,
    about: ['address', network],
  };
  const request = acting()?.request;
  const others = [...factorBucket(subject), ofAddress];
  const client = request?.ip === address ? claimedClient(request) : undefined;
  if (client === undefined) return [{ ...ofSubject, name: atAddress, limit: ACCOUNT_LIMIT }, ...others];
  return [
    { ...ofSubject, name: `${atAddress}|${networkOf(client)}`, limit: ACCOUNT_LIMIT },
    { ...ofSubject, name: atAddress, limit: SHARED_ADDRESS_LIMIT },
    ...others,
  ];
}

/**
 * A code of six digits can be guessed from many addresses, so the limit covers all addresses together. Only a person with
 * the right password gets so far, so nobody else can use it up.
 */
const factorBucket = (subject: string): Bucket[] =>
  FACTOR.test(subject)
    ? [
        {
          name: `account:${subject.toLowerCase().slice(0, 80)}`,
          limit: FACTOR_LIMIT,
          seconds: FACTOR_WINDOW_SECONDS,
          about: throttledSubject(subject),
        },
      ]
    : [];

const LINK = /^link:(\d+)$/;
const FACTOR = /^factor:/;

function throttledSubject(subject: string): Throttled {
  const shareId = LINK.exec(subject)?.[1];
  return shareId === undefined ? ['account', subject.replace(FACTOR, '')] : ['share', shareId];
}
