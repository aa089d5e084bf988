import { Injectable } from '@nestjs/common';
import { ThrottleRepository, type Throttled } from '#persistence';
import { acting, boundedCache, claimedClient, networkOf } from '#platform';
import { AuthenticationFailed } from './authentication-failed';

const ACCOUNT_LIMIT = 10;
/** For an account from one address that several clients seem to share. */
const SHARED_ADDRESS_LIMIT = 100;
const ACCOUNT_WINDOW_SECONDS = 300;
/** For the second factor of an account, from all addresses. */
const FACTOR_LIMIT = 50;
const FACTOR_WINDOW_SECONDS = 3600;
const ADDRESS_LIMIT = 300;
const ADDRESS_WINDOW_SECONDS = 60;
const FORGET_EVERY_MS = 600_000;

/** Subject that an attempt counts for, and its limit. */
interface Bucket {
  readonly name: string;
  readonly limit: number;
  readonly seconds: number;
  /** As the audit log names it. */
  readonly about: Throttled;
}

/**
 * Bounds guessing, for all replicas together: ten failures for an account or a protected link from one address in
 * five minutes, 300 from one address in a minute. Attempts from other addresses never count against a user's own, and
 * the right password clears the count of its address.
 *
 * Where an address looks like a proxy's that TRUSTED_PROXIES does not name, its clients are distinguished by what it claims:
 * ten failures for each of them, and a hundred for the address, so that made-up clients do not make guessing free.
 */
@Injectable()
export class LoginThrottle {
  private forgottenAt = 0;
  /** Account buckets with failures that this process has seen. */
  private readonly failing = boundedCache<true>(10_000);

  constructor(private readonly throttle: ThrottleRepository) {}

  /**
   * Counts an attempt before its outcome is known, so that attempts at the same time count too.
   * @param subject the thing to sign in to: a user id, or `link:<share id>` or `factor:<user id>`, which no user id can
   * be
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
    // The one attempt that is the first too many; a count is handed out once.
    for (const { about, failures, limit } of exceeded)
      if (failures === limit + 1) await this.throttle.recordLockOut(about);
    throw new AuthenticationFailed('throttled', Math.max(1, ...exceeded.map((count) => count.seconds_left)));
  }

  /** Whether failures of this account from this address are to be cleared by a success. */
  isFailing(subject: string, address: string): boolean {
    return this.failing.size > 0 && this.failing.has(bucketsOf(subject, address)[0].name);
  }

  /** The right password came from this address: the count of the account there starts again. */
  async succeeded(subject: string, address: string, counted: boolean): Promise<void> {
    const [account, ...others] = bucketsOf(subject, address);
    this.failing.delete(account.name);
    await this.throttle.clear(account.name);
    if (counted) await this.throttle.giveBack(others.map(({ name }) => name));
  }

  /** Nothing was learnt from a counted attempt: it does not count. */
  async withdraw(subject: string, address: string): Promise<void> {
    await this.throttle.giveBack(bucketsOf(subject, address).map(({ name }) => name));
  }

  private async forgetSometimes(): Promise<void> {
    if (Date.now() - this.forgottenAt < FORGET_EVERY_MS) return;
    this.forgottenAt = Date.now();
    await this.throttle.forgetEnded();
  }
}

/** The first is that of the account, or link, and the client. */
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
 * A code of six digits can be guessed from many addresses, so it is bounded for all together: somebody who gets so far
 * has the right password, and nobody else can use this up.
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
