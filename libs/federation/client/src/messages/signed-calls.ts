import { preferredScheme, type PeerProfile } from '#federation/protocol';
import type { SigningKeys } from '#federation/signatures';
import type { ExchangeAnswer, GuardedClient } from '../egress/guarded-client';
import { SignedMessage, type Message } from '../egress/signed-message';

/** The facts about a recipient server that decide how a message is signed. */
export type Addressee = Pick<PeerProfile, 'capabilities' | 'signBy'>;

/** Sends messages to partners, each with a signature that the recipient can check. */
export class SignedCalls {
  constructor(
    private readonly client: GuardedClient,
    private readonly keys: SigningKeys,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * One message with its whole, bounded answer.
   * @param withinMs shortens the client's limits
   * @throws EgressFailed if no status arrived
   */
  async exchange(message: Message, addressee: Addressee, withinMs?: number): Promise<ExchangeAnswer> {
    const scheme = preferredScheme(addressee);
    if (scheme === 'none') return this.client.exchange(SignedMessage.withoutSignature(message), withinMs);
    const key = await this.keys.signing(scheme);
    return this.client.exchange(await SignedMessage.sign(message, key, this.now()), withinMs);
  }
}
