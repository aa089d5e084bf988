import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { acting, CONFIG, type Config } from '#platform';
import { FairQueue } from './fair-queue';
import { RememberedPasswords } from './remembered-passwords';

/** argon2id, 19 MiB, two passes: about 10 ms of one processor. */
const ARGON2ID = 2;
const COST = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** A hash of no password, with the same cost: verifying against it takes as long as against a real one. */
const NOBODY =
  '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$Ee0wWSNUIVFmiw2PYfbrHIbWXbRZPyrsfYRxG1QKe3U';

/** A stored form that matches no password, with the same cost, for accounts that sign in elsewhere. */
export function unknownPassword(): string {
  const [salt, digest] = [16, 32].map((bytes) => randomBytes(bytes).toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$${salt}$${digest}`;
}

/** The thread pool for hashing has four threads. All queues together never use more, because they would then wait for each other. */
export const HASHES_AT_ONCE = { signIn: Math.min(availableParallelism(), 2), link: 1, change: 1 };

/** Maximum of new passwords that are recognised without a second hash. */
const NEW_ONES = 1000;

/** Reason why a password is verified: a sign-in, or a visit of a protected link. */
export type PasswordUse = 'signIn' | 'link';

/**
 * Hashes and verifies passwords. Sign-ins, visits of protected links and changes of passwords have separate queues, so that
 * none delays another.
 */
@Injectable()
export class PasswordHasher {
  private readonly queues: Readonly<Record<keyof typeof HASHES_AT_ONCE, FairQueue>>;
  /** Passwords that this process hashed, so their first use costs no second hash. */
  private readonly hashedHere = new RememberedPasswords(NEW_ONES);

  constructor(@Inject(CONFIG) { PASSWORD_QUEUE }: Pick<Config, 'PASSWORD_QUEUE'>) {
    this.queues = {
      signIn: new FairQueue(HASHES_AT_ONCE.signIn, PASSWORD_QUEUE),
      link: new FairQueue(HASHES_AT_ONCE.link, PASSWORD_QUEUE),
      change: new FairQueue(HASHES_AT_ONCE.change, PASSWORD_QUEUE),
    };
  }

  /**
   * Called before anything is looked up for a new password, so that a refusal costs nothing.
   * @throws AuthenticationFailed `busy` if the account has the maximum of waiting changes
   */
  assertRoomForChange(): void {
    this.queues.change.assertRoom(actingAccount());
  }

  /**
   * The stored form of a new password. Each account has a maximum of waiting changes.
   * @throws AuthenticationFailed `busy`
   */
  async hash(password: string): Promise<string> {
    const passwordHash = await this.queues.change.run(actingAccount(), () => hash(password, COST));
    this.hashedHere.add(passwordHash, passwordHash, password);
    return passwordHash;
  }

  /**
   * Whether `password` matches `passwordHash`; without a hash it never does, after the same time.
   * @param network origin of the request: each network has a maximum of waiting attempts
   * @throws AuthenticationFailed `busy`
   */
  async verify(
    passwordHash: string | undefined,
    password: string,
    use: PasswordUse,
    network: string,
  ): Promise<boolean> {
    if (passwordHash !== undefined && this.hashedHere.has(passwordHash, passwordHash, password)) return true;
    const matches = await this.queues[use].run(network, () => verify(passwordHash ?? NOBODY, password));
    return matches && passwordHash !== undefined;
  }
}

/** The account of the present request; one common name for work without an account. */
function actingAccount(): string {
  const actor = acting()?.actor;
  return actor?.kind === 'user' ? actor.uid : '';
}
