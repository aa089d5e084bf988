import { Inject, Injectable } from '@nestjs/common';
import { pinnedTo, readProfile } from '#federation/exchange';
import { CloudIdInvalid, parseCloudId, peerKeyOf, type Dialect } from '#federation/protocol';
import { OcsFailure } from '#ocs/http';
import type { OcsValue } from '#ocs/protocol';
import {
  DeliveryAdministrationRepository,
  PartnerKeysRepository,
  PeerAdministrationRepository,
  type ChosenSignatures,
  type DeliveryLimits,
} from '#persistence';
import { CONFIG, type Config } from '#platform';
import { PeerInquiries } from '#queue';
import { instant, partnerDetails, partnerRecord } from './partner-record';

const SHOWN_FAILURES = 10;

/** An operator's choices about signatures; undefined changes nothing. */
export type SignatureChoices = { [Choice in keyof ChosenSignatures]: ChosenSignatures[Choice] | undefined };

/** Partners, for operators. The command line uses the same code. */
@Injectable()
export class OperatedPartners {
  constructor(
    private readonly peers: PeerAdministrationRepository,
    private readonly deliveries: DeliveryAdministrationRepository,
    private readonly keys: PartnerKeysRepository,
    private readonly inquiries: PeerInquiries,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Partners by host, with their waiting messages. */
  async list(after: string, limit: number, search: string): Promise<OcsValue[]> {
    return (await this.peers.list(after, limit, search)).map(partnerRecord);
  }

  /** A partner with its keys and its last failures. @throws OcsFailure */
  async details(named: string): Promise<OcsValue> {
    const host = hostKeyOf(named);
    const [peer, keys, failures] = await Promise.all([
      this.peers.find(host),
      this.keys.find(host),
      this.deliveries.lastFailures(host, SHOWN_FAILURES),
    ]);
    if (!peer) throw unknown();
    const shown = failures.map(({ messageId, at, errorClass, error, httpStatus }) => {
      return { messageId, at: instant(at), errorClass, error, httpStatus };
    });
    return { ...(partnerDetails(peer, keys) as object), failures: shown };
  }

  /** @throws OcsFailure */
  async pause(named: string): Promise<void> {
    if (!(await this.peers.pause(hostKeyOf(named)))) throw unknown();
  }

  /** Opens both gates, and sends what waits. @throws OcsFailure */
  async resume(named: string): Promise<void> {
    if (!(await this.peers.resume(hostKeyOf(named)))) throw unknown();
  }

  /** @throws OcsFailure */
  async limit(named: string, limits: DeliveryLimits): Promise<void> {
    if (!(await this.peers.limit(hostKeyOf(named), limits))) throw unknown();
  }

  /** @throws OcsFailure */
  async chooseSignatures(named: string, choices: SignatureChoices): Promise<void> {
    if (!(await this.peers.chooseSignatures(hostKeyOf(named), choices))) throw unknown();
  }

  /**
   * Restricts messages to a partner to these dialects. A worker discovers a known partner without a profile.
   * @throws OcsFailure
   */
  async pin(named: string, dialects: readonly Dialect[]): Promise<void> {
    const host = hostKeyOf(named);
    const peer = await this.peers.find(host);
    if (!peer) throw unknown();
    const found = readProfile(peer.profile) ?? readProfile((await this.askFor(host))?.profile);
    if (!found) throw new OcsFailure(404, 'The partner gives no answer that says what it speaks');
    const pinned = pinnedTo(found, dialects);
    if (pinned.kind === 'no-address')
      throw new OcsFailure(400, `The partner has no address for ${pinned.dialect}`);
    await this.peers.pin(host, pinned.profile);
  }

  /** @throws OcsFailure */
  async unpin(named: string): Promise<void> {
    if (!(await this.peers.unpin(hostKeyOf(named)))) throw unknown();
  }

  /** Lets a worker discover a partner. @throws OcsFailure for an unknown one, and if it gives no answer */
  async probe(named: string): Promise<OcsValue> {
    const host = hostKeyOf(named);
    if (!(await this.peers.find(host))) throw unknown();
    const found = await this.askFor(host);
    const profile = readProfile(found?.profile);
    if (!profile) throw new OcsFailure(404, found?.discoveryError ?? 'The server gives no answer');
    return { product: profile.product, address: profile.baseUrl, dialects: [...profile.dialects] };
  }

  private askFor(host: string) {
    return this.inquiries.profileOf(host, this.config.FEDERATION_SYNC_WAIT);
  }
}

export const unknown = (): OcsFailure =>
  new OcsFailure(404, 'There is no such partner, or nothing to change');

/** @throws OcsFailure for an invalid host */
export function hostKeyOf(named: string): string {
  try {
    return peerKeyOf(parseCloudId(`somebody@${named}`));
  } catch (error) {
    if (!(error instanceof CloudIdInvalid)) throw error;
    throw new OcsFailure(400, 'host is the part of a federated cloud id behind its @');
  }
}
