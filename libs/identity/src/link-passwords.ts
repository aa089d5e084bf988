import { Injectable } from '@nestjs/common';
import { networkOf } from '#platform';
import { AuthenticationFailed } from './authentication-failed';
import { LoginThrottle } from './login-throttle';
import { PasswordHasher } from './password-hasher';
import { RememberedPasswords } from './remembered-passwords';

/** A public link with a password. */
export interface ProtectedLink {
  readonly shareId: number;
  readonly passwordHash: string;
}

/**
 * Verifies the passwords of public links, with the same limits on guessing as for accounts: per link and
 * address, and per address. A guessing visitor blocks nobody else, and no visitor who had entered the right password before.
 */
@Injectable()
export class LinkPasswords {
  private readonly remembered = new RememberedPasswords();
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(
    private readonly hasher: PasswordHasher,
    private readonly throttle: LoginThrottle,
  ) {}

  /** @throws AuthenticationFailed `wrong`, `throttled`, `busy` */
  async verify(link: ProtectedLink, password: string, address: string): Promise<void> {
    const subject = `link:${link.shareId}`;
    if (this.remembered.has(subject, link.passwordHash, password)) return;
    // A client that opens several connections at once sends the same password on each: that is one attempt.
    const key = `${subject}\n${link.passwordHash}\n${address}\n${password}`;
    const shared = this.underWay.get(key);
    if (shared) return shared;
    const attempt = this.attempt(subject, link.passwordHash, password, address).finally(() =>
      this.underWay.delete(key),
    );
    this.underWay.set(key, attempt);
    return attempt;
  }

  private async attempt(
    subject: string,
    passwordHash: string,
    password: string,
    address: string,
  ): Promise<void> {
    await this.throttle.attempt(subject, address);
    const matches = await this.hasher
      .verify(passwordHash, password, 'link', networkOf(address))
      .catch(async (busy: unknown) => {
        await this.throttle.withdraw(subject, address);
        throw busy;
      });
    if (!matches) throw new AuthenticationFailed('wrong');
    await this.throttle.succeeded(subject, address, true);
    this.remembered.add(subject, passwordHash, password);
  }
}
