import { hash, randomBytes } from 'node:crypto';
import { boundedCache, type BoundedCache } from '#platform';

const REMEMBERED_AT_MOST = 20_000;
/** Everybody is verified again once a day, so that the time of the last login shows who is active. */
const REMEMBERED_MS = 24 * 3_600_000;

interface Remembered {
  readonly digest: string;
  /** Time of the verification, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * Verified passwords, by account or link. They are kept as a keyed digest of the password and its
 * stored hash: another or a changed password never matches, and memory contains no password. The time of a comparison
 * reveals nothing: without the key an attacker does not know which digest they test.
 */
export class RememberedPasswords {
  private readonly key = randomBytes(32).toString('hex');
  private readonly digests: BoundedCache<Remembered>;

  /** @param maximum of remembered passwords; those that were not used for the longest time are forgotten */
  constructor(maximum = REMEMBERED_AT_MOST) {
    this.digests = boundedCache<Remembered>(maximum, REMEMBERED_MS);
  }

  /** @param withinMs maximum age of the verification */
  has(subject: string, passwordHash: string, password: string, withinMs = REMEMBERED_MS): boolean {
    const known = this.digests.get(subject);
    return (
      known !== undefined &&
      Date.now() - known.at <= withinMs &&
      known.digest === this.digest(passwordHash, password)
    );
  }

  add(subject: string, passwordHash: string, password: string): void {
    this.digests.set(subject, { digest: this.digest(passwordHash, password), at: Date.now() });
  }

  private digest(passwordHash: string, password: string): string {
    return hash('sha256', `${this.key}\n${passwordHash}\n${password}`);
  }
}
