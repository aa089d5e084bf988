import { Inject, Injectable } from '@nestjs/common';
import type { SigningHost } from '#federation/exchange';
import { hostOfAddress, type Signer } from '#federation/protocol';
import { freshKeys, type KeyAnswer } from '#federation/signatures';
import { PartnerKeysRepository, type PartnerKeysRow } from '#persistence';
import { LOGGER, type Logger } from '#platform';
import { KeyInquiries, PeerInquiries, QueueAway } from '#queue';

/** Maximum time that a message waits for the key of its sender. */
const LIMIT_MS = 3000;

/** Keys of partners, as last read. A worker reads them again, at most once a minute for each partner. */
@Injectable()
export class PartnerKeySource {
  constructor(
    private readonly keys: PartnerKeysRepository,
    private readonly inquiries: KeyInquiries,
    private readonly peers: PeerInquiries,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @param host as in peer keys, of a partner that may have sent the message */
  async find(host: string, signer: Signer): Promise<KeyAnswer> {
    const kept = await this.keys.find(host);
    const answer = kept && keyIn(kept, host, signer);
    return answer?.kind === 'found' ? answer : this.findAnew(host, signer);
  }

  /** Asks the partner; within a minute after a request, returns its last answer. */
  async findAnew(host: string, signer: Signer): Promise<KeyAnswer> {
    const answered = await this.inquire(host);
    return answered ? keyIn(answered, host, signer) : { kind: 'unavailable' };
  }

  /**
   * Whether the partner signs, by its announcements and its keys. If that is not known, the partner is asked, and then
   * not again for a while.
   * `unknown` if it could not be found out in time.
   *
   * @param known the row of its host, read a moment ago
   */
  async signs(host: string, known: SigningHost | undefined): Promise<'yes' | 'no' | 'unknown'> {
    if (known?.isSettled) return signsAs(known, known.isProfiled);
    const peer = await this.orUndefined(host, () => this.peers.profileOf(host, LIMIT_MS));
    return signsAs(
      await this.keys.host(host),
      peer !== undefined && (peer.profile ?? peer.pinnedProfile) !== null,
    );
  }

  private inquire(host: string): Promise<PartnerKeysRow | undefined> {
    return this.orUndefined(host, () => this.inquiries.keysOf(host, LIMIT_MS));
  }

  private async orUndefined<T>(host: string, inquire: () => Promise<T | undefined>): Promise<T | undefined> {
    try {
      return await inquire();
    } catch (error) {
      if (!(error instanceof QueueAway))
        this.logger.warn(
          { err: error, partner: host },
          'the request for the keys of a partner could not be queued',
        );
      return undefined;
    }
  }
}

/** @param hasAnswered whether the partner's profile is known */
function signsAs(known: SigningHost | undefined, hasAnswered: boolean): 'yes' | 'no' | 'unknown' {
  if (known && (known.isSigner || known.announces)) return 'yes';
  return hasAnswered ? 'no' : 'unknown';
}

/** A missing key proves nothing if the last request returned an incomplete answer. */
function keyIn(row: PartnerKeysRow, host: string, { keyId }: Signer): KeyAnswer {
  const key = freshKeys(row, Date.now()).find((one) => one.keyId === keyId);
  if (key) return { kind: 'found', key, host: hostOfAddress(host) };
  return { kind: row.isComplete ? 'unknown' : 'unavailable' };
}
