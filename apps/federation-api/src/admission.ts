import { Injectable } from '@nestjs/common';
import { FederationRefused, type FederationRefusal, type SecretText } from '#federation/protocol';
import { BudgetSpent, CallLimits } from '#identity';
import { SecretBox } from '#platform';
import { CachedPolicy } from '#settings';

/** When a partner that was told to come back may do so. */
export const RETRY_AFTER_SECONDS = 120;

/** What nobody is refused for who knows what he is talking about: guesses, probes and noise look like this. */
const FAILURES: readonly FederationRefusal[] = [
  'fields-missing',
  'protocol-missing',
  'notification-missing',
  'field-invalid',
  'name-invalid',
  'recipient-unknown',
  'share-unknown',
  'secret-wrong',
  'invitation-unknown',
];

/** What says which share a message is about, and proves that its sender is the share's partner. */
interface AboutShare {
  readonly providerId: string;
  readonly sharedSecret: SecretText | null;
}

/**
 * What every message of a partner passes before anything of it is read: the one place for limits of inbound traffic.
 */
@Injectable()
export class Admission {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly limits: CallLimits,
    private readonly secrets: SecretBox,
  ) {}

  /**
   * Takes a message that does not prove who sends it.
   * @param address that it comes from
   * @throws FederationRefused temporarily-unavailable; BudgetSpent; what `take` throws
   */
  async hear<T>(address: string, take: () => Promise<T>): Promise<T> {
    await this.assertInService();
    await this.limits.unprovenCall(address);
    return this.counting(address, take);
  }

  /**
   * Takes a message about a share: as its partner's where it brings the secret of the share.
   * @throws FederationRefused temporarily-unavailable; BudgetSpent; what `read` and `take` throw
   */
  async hearAbout<M extends AboutShare, T>(
    address: string,
    read: () => M,
    take: (message: M) => Promise<T>,
  ): Promise<T> {
    await this.assertInService();
    const message = await this.counting(address, () => Promise.resolve().then(read));
    const secret = message.sharedSecret?.reveal();
    const secretHmac = secret === undefined ? undefined : this.secrets.lookup(secret);
    const isProven = await this.limits.message(address, message.providerId, secretHmac);
    return isProven ? take(message) : this.counting(address, () => take(message));
  }

  private async assertInService(): Promise<void> {
    const { maintenance } = this.policy.peek() ?? (await this.policy.current());
    if (maintenance) throw new FederationRefused('temporarily-unavailable');
  }

  private async counting<T>(address: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const isFailure = error instanceof FederationRefused && FAILURES.includes(error.refusal);
      const retryAfter = isFailure ? await this.limits.failed(address) : undefined;
      throw retryAfter === undefined ? error : new BudgetSpent(retryAfter);
    }
  }
}
