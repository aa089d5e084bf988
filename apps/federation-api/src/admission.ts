import { Injectable } from '@nestjs/common';
import { FederationRefused, type FederationRefusal, type SecretText } from '#federation/protocol';
import { BudgetSpent, CallLimits } from '#identity';
import { AuditRepository } from '#persistence';
import { actAs, SecretBox } from '#platform';
import { CachedPolicy } from '#settings';

/** Pause for partners that have to come again. */
export const RETRY_AFTER_SECONDS = 120;

/** Refusals that need no valid secret; they may be guesses, probes or noise. */
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
  'signature-wrong',
  'signature-missing',
  'key-unavailable',
];

/** Refusals that a partner with a valid secret does not cause. */
const FAILURES_OF_PARTNERS: readonly FederationRefusal[] = ['signature-wrong', 'signature-missing'];

/** Refusals that are not recorded in the audit log, because the message was not understood, or may be repeated. */
const UNRECORDED: readonly FederationRefusal[] = [
  'fields-missing',
  'protocol-missing',
  'notification-missing',
  'field-invalid',
  'name-invalid',
  'share-type-unsupported',
  'resource-type-unsupported',
  'protocol-unsupported',
  'notification-unsupported',
  'grant-unsupported',
  'key-unavailable',
  'temporarily-unavailable',
];

/** Names the share of a message, and proves that its sender is the share's partner. */
interface AboutShare {
  readonly providerId: string;
  readonly sharedSecret: SecretText | null;
}

/** Checks of every partner's message before it is read: the one place for limits of inbound traffic. */
@Injectable()
export class Admission {
  constructor(
    private readonly audit: AuditRepository,
    private readonly policy: CachedPolicy,
    private readonly limits: CallLimits,
    private readonly secrets: SecretBox,
  ) {}

  /**
   * Accepts a message without a proof of its sender.
   * @param address of the caller
   * @throws FederationRefused temporarily-unavailable; BudgetSpent; errors of `take`
   */
  async hear<T>(address: string, take: () => Promise<T>): Promise<T> {
    await this.assertInService();
    await this.limits.unprovenCall(address);
    actAs({ kind: 'partner' });
    return this.counting(address, take);
  }

  /**
   * Accepts a message about a share. It counts as its partner's if it contains the secret of the share.
   * @throws FederationRefused temporarily-unavailable; BudgetSpent; errors of `read` and `take`
   */
  async admitAboutShare<M extends AboutShare, T>(
    address: string,
    read: () => M,
    take: (message: M) => Promise<T>,
  ): Promise<T> {
    await this.assertInService();
    actAs({ kind: 'partner' });
    const message = await this.counting(address, () => Promise.resolve().then(read));
    const secret = message.sharedSecret?.reveal();
    const secretHmac = secret === undefined ? undefined : this.secrets.lookup(secret);
    const isProven = await this.limits.message(address, message.providerId, secretHmac);
    return this.counting(address, () => take(message), isProven ? FAILURES_OF_PARTNERS : FAILURES);
  }

  /**
   * Accepts a call whose secret identifies the partner: it uses that partner's budget, even after failures at its address.
   * @param identify finds the partner by the secret; undefined if there is none
   * @throws FederationRefused temporarily-unavailable, secret-wrong; BudgetSpent
   */
  async admitPartner(address: string, identify: () => Promise<number | undefined>): Promise<void> {
    await this.assertInService();
    const peerId = await identify();
    actAs({ kind: 'partner', peerId });
    if (peerId !== undefined) return this.limits.partnerCall(peerId);
    await this.limits.unprovenCall(address);
    await this.counting(address, () => Promise.reject(new FederationRefused('secret-wrong')));
  }

  private async assertInService(): Promise<void> {
    const { maintenance } = this.policy.peek() ?? (await this.policy.current());
    if (maintenance) throw new FederationRefused('temporarily-unavailable');
  }

  private async counting<T>(address: string, work: () => Promise<T>, failures = FAILURES): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof FederationRefused)) throw error;
      await this.record(error);
      const isFailure = failures.includes(error.refusal);
      const retryAfter = isFailure ? await this.limits.failed(address) : undefined;
      throw retryAfter === undefined ? error : new BudgetSpent(retryAfter);
    }
  }

  /** Records the refusal for the partner that the message names, or that is known to have sent it. */
  private async record({ refusal }: FederationRefused): Promise<void> {
    if (UNRECORDED.includes(refusal)) return;
    await this.audit.recordRefusal('message.take', ['message', null], { reason: refusal });
  }
}
