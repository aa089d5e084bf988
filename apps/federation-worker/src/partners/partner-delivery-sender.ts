import { Injectable } from '@nestjs/common';
import { PartnerMessenger, type DeliveryReport } from '#federation/client';
import type { DeliveryOutcome, DeliverySender, MessageKind, OutgoingMessage } from '#federation/delivery';
import { SecretText } from '#federation/protocol';
import { PeerRepository, type PeerRow } from '#persistence';
import { PublicAddress, SecretBox } from '#platform';
import { CachedPolicy } from '#settings';
import { mayFederateWith } from '#sharing';
import { outcomeOfReport, outcomeWithoutProfile } from './delivery-outcome-of';
import { partnerMessageOf } from './partner-message-of';
import { PeerProfiles } from './peer-profiles';

/** Together with the requests in every dialect below the time that one attempt may take. */
const DISCOVERY_BUDGET_MS = 10_000;
const REQUEST_LIMIT_MS = 10_000;

/** While sharing with other servers is switched off, what gives access waits; what says no does not. */
const SWITCHED_OFF_PAUSE_MS = 10 * 60_000;
const GIVES_ACCESS: readonly MessageKind[] = ['share-create', 'share-permissions', 'reshare-request'];

/** Brings messages to partners: the only place where their secrets are opened. */
@Injectable()
export class PartnerDeliverySender implements DeliverySender {
  constructor(
    private readonly peers: PeerRepository,
    private readonly profiles: PeerProfiles,
    private readonly messenger: PartnerMessenger,
    private readonly policy: CachedPolicy,
    private readonly secrets: SecretBox,
    private readonly address: PublicAddress,
  ) {}

  async send(message: OutgoingMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    const peer = await this.peers.findById(message.peerId);
    if (!peer) throw new Error(`there is no partner ${message.peerId}`);
    const barred = await this.barredBy(peer, message.kind);
    if (barred) return barred;
    const found = await this.profiles.of(peer, { signal, budgetMs: DISCOVERY_BUDGET_MS });
    if (found.kind !== 'partner')
      return outcomeWithoutProfile(found, message.kind === 'share-create' && message.attempts === 0);
    const secret = new SecretText(message.sealedSecret ? this.secrets.open(message.sealedSecret) : '');
    const report = await this.messenger.send(
      partnerMessageOf(message, secret, this.address.url),
      found.profile,
      { idempotencyKey: message.dedupeKey, withinMs: REQUEST_LIMIT_MS, signal },
    );
    if (report.provenDialect) await this.profiles.keepProven(peer, found.profile, report.provenDialect);
    if (report.outcome.kind === 'rediscover') await this.profiles.forget(peer);
    return outcomeOfReport(message.kind, report, this.replyOf(report));
  }

  /** The partner may have been denied, or sharing switched off, since the message was written. */
  private async barredBy(
    { hostKey, trust }: PeerRow,
    kind: MessageKind,
  ): Promise<DeliveryOutcome | undefined> {
    // What ends an access is told to everybody.
    if (kind === 'share-unshare') return undefined;
    const policy = await this.policy.current();
    if (trust === 'denied' || !mayFederateWith(policy, hostKey))
      return { kind: 'failed', errorClass: 'policy', message: `sharing with ${hostKey} is not allowed` };
    if (policy.federation.outgoing || !GIVES_ACCESS.includes(kind)) return undefined;
    const message = 'sharing with other servers is switched off';
    return { kind: 'retry', errorClass: 'policy', message, retryAfterMs: SWITCHED_OFF_PAUSE_MS };
  }

  /** What a granted re-share came with; its secret stays sealed. */
  private replyOf({ outcome }: DeliveryReport): Readonly<Record<string, unknown>> | undefined {
    if (outcome.kind !== 'delivered' || !outcome.reshare) return undefined;
    const { providerId, sharedSecret } = outcome.reshare;
    return { providerId, sealedSecret: this.secrets.seal(sharedSecret.reveal()).toString('base64') };
  }
}
