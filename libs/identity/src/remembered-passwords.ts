import { hash, randomBytes } from 'node:crypto';
import { boundedCache } from '#platform';

const REMEMBERED = 20_000;
/** Once a day whoever comes is verified again: so the time of the last login says who is here. */
const REMEMBERED_MS = 24 * 3_600_000;

interface Remembered {
  readonly digest: string;
  /** Time of the verification, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * Verified passwords, by the account or link that they belong to. Kept as a keyed digest over the password and its
 * stored hash: another password or a changed one never matches, and memory holds no password. The time of a comparison
 * says nothing: without the key an attacker does not know which digest they test.
 */
export class RememberedPasswords {
  private readonly key = randomBytes(32).toString('hex');
  private readonly digests = boundedCache<Remembered>(REMEMBERED, REMEMBERED_MS);

  /** @param withinMs only what was verified within this time counts */
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
    return hash('sha256', `${this.key}\n${passwordHash}\n${password}`, 'base64');
  }
}
