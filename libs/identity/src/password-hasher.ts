import { availableParallelism } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { CONFIG, type Config } from '#platform';
import { AuthenticationFailed } from './authentication-failed';

/** argon2id, 19 MiB, two passes: about 10 ms of one processor. */
const ARGON2ID = 2;
const COST = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** A hash of no password, with the same cost: verifying against it takes as long as against a real one. */
const NOBODY =
  '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$Ee0wWSNUIVFmiw2PYfbrHIbWXbRZPyrsfYRxG1QKe3U';
const BUSY_RETRY_SECONDS = 2;

/** Hashes and verifies passwords, as many at a time as there are processors; a bounded number may wait. */
@Injectable()
export class PasswordHasher {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly maxWaiting: number;

  constructor(@Inject(CONFIG) config: Pick<Config, 'PASSWORD_QUEUE'>) {
    this.maxWaiting = config.PASSWORD_QUEUE;
  }

  /** @throws AuthenticationFailed `busy` */
  async hash(password: string): Promise<string> {
    return this.inTurn(() => hash(password, COST));
  }

  /**
   * Whether `password` is the one behind `passwordHash`; without a hash it is not, after the same time.
   * @throws AuthenticationFailed `busy`
   */
  async verify(passwordHash: string | undefined, password: string): Promise<boolean> {
    const matches = await this.inTurn(() => verify(passwordHash ?? NOBODY, password));
    return matches && passwordHash !== undefined;
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= availableParallelism()) {
      if (this.waiting.length >= this.maxWaiting) throw new AuthenticationFailed('busy', BUSY_RETRY_SECONDS);
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else {
      this.running++;
    }
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
