import {
  DIALECTS,
  enforcesMfa,
  keepsCopies,
  recipientIsOurs,
  SecretText,
  tokenDemand,
  type PeerProfile,
  type TokenDemand,
} from '#federation/protocol';
import { partnerAccess } from '#sharing';
import { BEGINNINGS, isOffer, MESSAGES } from '../messages/message-catalogue';
import type { OutgoingMessage } from '../messages/message';
import { hasExpired, partnerMessageOf } from '../messages/partner-message-of';
import type { GrantedReply } from '../messages/payloads';
import type { DeliveryReport } from '../ports/delivery-report';
import type { OutboundPartner, OutboundPorts, ShareDemands } from '../ports/outbound';
import { outcomeOfReport, outcomeWithoutProfile, type DeliveryOutcome } from './delivery-outcome';

const REQUEST_LIMIT_MS = 10_000;

/** While sharing with other servers is turned off, messages that give access wait; messages that refuse or end it do not. */
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

const NO_SECOND_FACTOR: DeliveryOutcome = {
  kind: 'refused',
  errorClass: 'unsupported',
  message: 'it does not announce that it asks people for a second factor',
};

const NO_GROUPS: DeliveryOutcome = {
  kind: 'refused',
  errorClass: 'unsupported',
  message: 'it does not announce that it takes shares with groups',
};

/** The partner would refuse a last day that is over, and the end of the share is sent anyway. */
const TOO_LATE = 'the share expired before it could be sent';

const isForGroup = ({ kind, payload }: OutgoingMessage): boolean =>
  isOffer(kind) && payload.shareType === 'group';

const NOTHING: ShareDemands = { exchange: false, secondFactor: false };

/**
 * One attempt to deliver a message to its partner: checks policy, finds profile and dialect. Secrets of messages are opened only
 * here. The partner's behaviour is part of the outcome; only our own failures are thrown.
 */
export async function sendMessage<Partner extends OutboundPartner>(
  ports: OutboundPorts<Partner>,
  message: OutgoingMessage,
  signal: AbortSignal,
  nowMs: number,
): Promise<DeliveryOutcome> {
  const partner = await ports.partners.find(message.peerId);
  if (!partner) throw new Error(`there is no partner ${message.peerId}`);
  if (hasExpired(message, nowMs))
    return isOffer(message.kind) ? policyFailure(TOO_LATE) : { kind: 'not-sent', message: TOO_LATE };
  const barred = await barredBy(ports, partner, message);
  if (barred) return barred;
  const found = await ports.partners.profileOf(partner, signal);
  if (found.kind !== 'partner')
    return outcomeWithoutProfile(found, isOffer(message.kind) && message.attempts === 0);
  return sendTo(ports, partner, found.profile, message, signal);
}

/** The partner may have been denied, or sharing turned off, since the message was written. */
async function barredBy<Partner extends OutboundPartner>(
  { partners, policy: policies, requests }: OutboundPorts<Partner>,
  partner: Partner,
  message: OutgoingMessage,
): Promise<DeliveryOutcome | undefined> {
  const { kind, subject } = message;
  const { access: effect, direction } = MESSAGES[kind];
  // The end of an access is sent to every partner.
  if (effect === 'ends') return undefined;
  const policy = await policies.current();
  const access = partnerAccess(policy, direction, partner);
  if (access === 'closed') return policyFailure(`sharing with ${partner.hostKey} is not allowed`);
  const needsContact = isOffer(kind) && access === 'contacts';
  // A group is no contact, even if one has its name.
  if (needsContact && (isForGroup(message) || (await partners.contactBehind(subject.id)) === undefined))
    return policyFailure(`sharing with ${partner.hostKey} needs an invitation`);
  if (
    subject.type === 'share-request' &&
    !(policy.federation.incoming && (await requests.isOpen(subject.id)))
  )
    return policyFailure('the request was taken back, or shares of other servers are not taken');
  if (policy.federation.outgoing || effect !== 'gives') return undefined;
  return {
    ...{ kind: 'retry', errorClass: 'policy', message: 'sharing with other servers is switched off' },
    retryAfterMs: SWITCHED_OFF_PAUSE_MS,
  };
}

async function sendTo<Partner extends OutboundPartner>(
  ports: OutboundPorts<Partner>,
  partner: Partner,
  profile: PeerProfile,
  message: OutgoingMessage,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const { partners, secrets } = ports;
  const { kind, subject, sealedSecret } = message;
  const [demands, knownAs] = await Promise.all([
    demandsOf(ports, message),
    isOffer(kind) && !isForGroup(message) ? partners.contactBehind(subject.id) : undefined,
  ]);
  // The partner may have learnt to enforce it since it was discovered.
  if (isOffer(kind) && demands.secondFactor && !enforcesMfa(profile)) {
    await partners.rediscover(partner);
    return NO_SECOND_FACTOR;
  }
  if (isForGroup(message) && !profile.shareTypes.includes('group')) {
    await partners.rediscover(partner);
    return NO_GROUPS;
  }
  const wantsWebapp = await offersWebapp(ports, message, profile);
  const demand = await demandOf(ports, message, profile, demands.exchange, wantsWebapp);
  if (demand === 'impossible') return UNTOLD;
  const frame = {
    sharedSecret: new SecretText(sealedSecret ? secrets.open(sealedSecret) : ''),
    publicUrl: ports.publicUrl,
    mustExchange: demand === 'exchange',
    mustUseMfa: demands.secondFactor,
    hasWebapp: wantsWebapp && demand === 'exchange',
    knownAs,
  };
  const isPatient = BEGINNINGS.includes(kind) && keepsCopies(profile.product);
  const report = await ports.messenger.send(partnerMessageOf(message, frame), profile, {
    idempotencyKey: message.dedupeKey,
    answerMs: isPatient ? ports.offerTimeoutMs : REQUEST_LIMIT_MS,
    signal,
  });
  if (report.provenDialect) await partners.keepProven(partner, profile, report.provenDialect);
  if (report.outcome.kind === 'rediscover') await partners.rediscover(partner);
  return outcomeOfReport({ kind, product: profile.product }, report, replyOf(ports, report, profile));
}

/** Demands of the share, for messages that contain them. */
function demandsOf(
  { tokens }: Pick<OutboundPorts, 'tokens'>,
  { kind, subject }: OutgoingMessage,
): Promise<ShareDemands> | ShareDemands {
  const { event } = MESSAGES[kind];
  return event === 'offer' || event === 'share-permissions' ? tokens.demandsOf(subject.id) : NOTHING;
}

/** Whether an offer also leads to a page of this instance, which only access tokens open. */
async function offersWebapp(
  { policy }: Pick<OutboundPorts, 'policy'>,
  { kind, payload }: OutgoingMessage,
  { opensWebapps }: PeerProfile,
): Promise<boolean> {
  if (!isOffer(kind)) return false;
  return (
    opensWebapps.some((opened) => opened === payload.nodeKind) &&
    (await policy.current()).federation.webapps.outgoing
  );
}

/**
 * Whether the secret has to be exchanged for an access token. The secret opens nothing even before the partner is told so,
 * and a demand that was sent stays.
 */
async function demandOf(
  { tokens, policy }: Pick<OutboundPorts, 'tokens' | 'policy'>,
  { kind, subject }: OutgoingMessage,
  profile: PeerProfile,
  promised: boolean,
  wantsWebapp: boolean,
): Promise<TokenDemand> {
  const { event } = MESSAGES[kind];
  if (event !== 'offer' && event !== 'share-permissions') return 'none';
  if (event === 'share-permissions') return promised ? 'exchange' : 'none';
  const { tokenExchange } = (await policy.current()).federation;
  const demand = tokenDemand(profile, tokenExchange.outgoing || wantsWebapp, promised);
  if (demand === 'exchange' && !promised) await tokens.demandExchange(subject.id);
  return demand;
}

/** The id and secret of a granted reshare; the secret stays sealed. */
function replyOf(
  { secrets }: Pick<OutboundPorts, 'secrets'>,
  { outcome, attempts }: DeliveryReport,
  { product }: PeerProfile,
): GrantedReply | undefined {
  if (outcome.kind !== 'delivered' || !outcome.reshare) return undefined;
  const { providerId, sharedSecret } = outcome.reshare;
  const secret = sharedSecret.reveal();
  const { dialect } = attempts.at(-1)!;
  return {
    providerId,
    sealedSecret: secrets.seal(secret).toString('base64'),
    secretHmac: secrets.lookup(secret).toString('base64'),
    asRequested: DIALECTS[dialect].statesPermissions(product),
    recipientIsOurs: recipientIsOurs(product),
  };
}
