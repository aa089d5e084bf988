import { Inject, Injectable } from '@nestjs/common';
import { PartnerMessenger, PeerProfiles, type DeliveryReport } from '#federation/client';
import {
  BEGINNINGS,
  MESSAGES,
  type DeliveryOutcome,
  type DeliverySender,
  type GrantedReply,
  type OutgoingMessage,
} from '#federation/delivery';
import {
  keepsCopies,
  recipientIsOurs,
  saysPermissions,
  SecretText,
  type PeerProfile,
} from '#federation/protocol';
import { ContactRepository, PeerRepository, type PeerRow } from '#persistence';
import { CONFIG, PublicAddress, SecretBox, type Config } from '#platform';
import { CachedPolicy } from '#settings';
import { partnerAccess } from '#sharing';
import { outcomeOfReport, outcomeWithoutProfile } from './delivery-outcome-of';
import { partnerMessageOf } from './partner-message-of';
import { TokenDemands } from './token-demands';

/** Together with the requests in every dialect below the time that one attempt may take. */
const DISCOVERY_BUDGET_MS = 10_000;
const REQUEST_LIMIT_MS = 10_000;

/** While sharing with other servers is switched off, what gives access waits; what says no does not. */
const SWITCHED_OFF_PAUSE_MS = 10 * 60_000;

const policyFailure = (message: string): DeliveryOutcome => ({
  kind: 'failed',
  errorClass: 'policy',
  message,
});

const UNTOLD: DeliveryOutcome = {
  kind: 'failed',
  errorClass: 'unsupported',
  message: 'it takes shares with access tokens only, and speaks no dialect in which they can be offered',
};

/** Brings messages to partners: the only place where their secrets are opened. */
@Injectable()
export class PartnerDeliverySender implements DeliverySender {
  constructor(
    private readonly peers: PeerRepository,
    private readonly contacts: ContactRepository,
    private readonly profiles: PeerProfiles,
    private readonly messenger: PartnerMessenger,
    private readonly tokenDemands: TokenDemands,
    private readonly policy: CachedPolicy,
    private readonly secrets: SecretBox,
    private readonly address: PublicAddress,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async send(message: OutgoingMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    const peer = await this.peers.findById(message.peerId);
    if (!peer) throw new Error(`there is no partner ${message.peerId}`);
    const barred = await this.barredBy(peer, message);
    if (barred) return barred;
    const found = await this.profiles.of(peer, {
      signal,
      budgetMs: DISCOVERY_BUDGET_MS,
      persistent: true,
    });
    if (found.kind !== 'partner')
      return outcomeWithoutProfile(found, message.kind === 'share-create' && message.attempts === 0);
    return this.sendTo(peer, found.profile, message, signal);
  }

  private async sendTo(
    peer: PeerRow,
    profile: PeerProfile,
    message: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome> {
    const demand = await this.tokenDemands.of(message, profile);
    if (demand === 'impossible') return UNTOLD;
    const sharedSecret = new SecretText(message.sealedSecret ? this.secrets.open(message.sealedSecret) : '');
    const frame = {
      sharedSecret,
      publicUrl: this.address.url,
      mustExchange: demand === 'exchange',
      knownAs:
        message.kind === 'share-create' ? await this.contacts.userBehindShare(message.subject.id) : undefined,
    };
    const report = await this.messenger.send(partnerMessageOf(message, frame), profile, {
      idempotencyKey: message.dedupeKey,
      answerMs:
        BEGINNINGS.includes(message.kind) && keepsCopies(profile.product)
          ? this.config.FEDERATION_OFFER_TIMEOUT
          : REQUEST_LIMIT_MS,
      signal,
    });
    if (report.provenDialect) await this.profiles.keepProven(peer, profile, report.provenDialect);
    if (report.outcome.kind === 'rediscover') await this.profiles.forget(peer);
    const sent = { kind: message.kind, product: profile.product };
    return outcomeOfReport(sent, report, this.replyOf(report, profile));
  }

  /** The partner may have been denied, or sharing switched off, since the message was written. */
  private async barredBy(
    peer: PeerRow,
    { kind, subject }: OutgoingMessage,
  ): Promise<DeliveryOutcome | undefined> {
    // The end of an access is sent to every partner.
    if (MESSAGES[kind].access === 'ends') return undefined;
    const policy = await this.policy.current();
    const access = partnerAccess(policy, MESSAGES[kind].direction, peer);
    if (access === 'closed') return policyFailure(`sharing with ${peer.hostKey} is not allowed`);
    if (
      kind === 'share-create' &&
      access === 'contacts' &&
      (await this.contacts.userBehindShare(subject.id)) === undefined
    )
      return policyFailure(`sharing with ${peer.hostKey} needs an invitation`);
    if (policy.federation.outgoing || MESSAGES[kind].access !== 'gives') return undefined;
    const message = 'sharing with other servers is switched off';
    return { kind: 'retry', errorClass: 'policy', message, retryAfterMs: SWITCHED_OFF_PAUSE_MS };
  }

  /** The id and secret of a granted reshare; the secret stays sealed. */
  private replyOf({ outcome, attempts }: DeliveryReport, { product }: PeerProfile): GrantedReply | undefined {
    if (outcome.kind !== 'delivered' || !outcome.reshare) return undefined;
    const { providerId, sharedSecret } = outcome.reshare;
    const secret = sharedSecret.reveal();
    const dialect = attempts.at(-1)!.dialect;
    return {
      providerId,
      sealedSecret: this.secrets.seal(secret).toString('base64'),
      secretHmac: this.secrets.lookup(secret).toString('base64'),
      asAsked: saysPermissions(dialect, product),
      recipientIsOurs: recipientIsOurs(product),
    };
  }
}
