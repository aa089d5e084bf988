import { FederationRefused, MUST_EXCHANGE, namesOf, peerKeyOf, type ShareOffer } from '#federation/protocol';
import { asksWhoOffers, partnerAccess, partnerNamed, STRONG_SESSION, unmetRequirements } from '#sharing';
import type { InboundPorts, Recipient } from '../ports/inbound';
import type { InboundPartners, KnownParties, OfferParties } from '../ports/inbound-partners';
import type { Proof, Prove } from '../ports/sender-proof';
import { isKnownPartner } from '../partners/discover-partner';

/** An admitted offer: the partner, how well its identity is proven, and the recipients that it may reach. */
export interface AdmittedOffer {
  readonly peerId: number;
  readonly proof: Proof;
  /** Has at least one entry. */
  readonly recipients: readonly Recipient[];
  /** Recipients who are saving a public link of the partner. */
  readonly awaitedBy: readonly string[];
}

/** The accounts that an offer names, and one display name for all of them. */
export type Addressed = { readonly name: string; readonly recipients: readonly Recipient[] } & (
  | { readonly why?: never }
  /** Without recipients: the refusal that says so. */
  | { readonly recipients: readonly []; readonly why: FederationRefused }
);

/**
 * Decides whether an offer is admitted: finds the partner, and whether its identity is proven. A refused partner is
 * not entered. Members of a
 * group are left out if an offer to them alone would be refused. A partner that may offer nothing is refused before it learns whether
 * there is such a recipient.
 * @throws FederationRefused partner-not-allowed, requirement-unsupported, exchange-needed, invitation-needed,
 * temporarily-unavailable, those of `prove`, and the one of `addressed`
 */
export async function admitOffer(
  ports: Pick<InboundPorts, 'policy' | 'partners'>,
  offer: ShareOffer,
  { recipients, why }: Addressed,
  prove: Prove,
): Promise<AdmittedOffer> {
  const policy = await ports.policy.current();
  const { partners } = ports;
  const hostKey = peerKeyOf(offer.owner);
  partners.actAs({ hostKey });
  const known = await partners.partiesOf(partiesOf(offer, recipients));
  const access = partnerAccess(policy, 'incoming', partnerNamed(hostKey, known.regarded));
  if (access === 'closed') throw new FederationRefused('partner-not-allowed');
  // The second factor is checked when the share is opened.
  const unmet = unmetRequirements(offer.requirements, STRONG_SESSION);
  if (unmet.length > 0) throw new FederationRefused('requirement-unsupported', unmet.join(', '));
  if (policy.federation.tokenExchange.incoming && !offer.requirements.includes(MUST_EXCHANGE))
    throw new FederationRefused('exchange-needed');
  const invited = access === 'contacts' ? await invitedAmong(partners, offer, recipients, known) : recipients;
  if (access === 'contacts' && invited.length === 0) throw new FederationRefused('invitation-needed');
  // A blocked offer gets the same refusal as one that the policy blocks: the answer does not reveal the difference.
  const willing = invited.filter(({ uid }) => !known.blockedBy.includes(uid));
  if (why) throw why;
  if (willing.length === 0) throw new FederationRefused('partner-not-allowed');
  const proof = await prove(hostKey, known.signing);
  const peerId = known.peerId ?? (await partners.ensure(hostKey)).id;
  if (proof === 'signed') partners.actAs({ peerId });
  if (asksWhoOffers(policy) && !isKnown(known) && !(await partners.isPartner(hostKey)))
    throw new FederationRefused('temporarily-unavailable');
  return { peerId, proof, recipients: willing, awaitedBy: known.awaitedBy };
}

function partiesOf({ owner, sender }: ShareOffer, recipients: readonly Recipient[]): OfferParties {
  return {
    hostKey: peerKeyOf(owner),
    hosts: [owner, sender].map(peerKeyOf),
    people: [owner, sender].map(({ canonical }) => canonical),
    uids: recipients.map(({ uid }) => uid),
  };
}

const isKnown = ({ signing, regarded }: KnownParties): boolean =>
  isKnownPartner(signing?.isProfiled === true, regarded?.trust ?? 'unknown');

/** Recipients who have the sender as a contact. */
async function invitedAmong(
  partners: InboundPartners,
  offer: ShareOffer,
  recipients: readonly Recipient[],
  { peerId }: KnownParties,
): Promise<readonly Recipient[]> {
  if (peerId === null) return [];
  return filtered(recipients, ({ uid }) => isInvited(partners, offer, uid, peerId));
}

async function filtered<T>(all: readonly T[], holds: (one: T) => Promise<boolean>): Promise<readonly T[]> {
  const kept: T[] = [];
  for (const one of all) if (await holds(one)) kept.push(one);
  return kept;
}

/** Sender and owner can be two people. A contact at another server does not count here. */
function isInvited(
  partners: InboundPartners,
  { owner, sender }: ShareOffer,
  recipientUid: string,
  peerId: number,
): Promise<boolean> {
  const here = [owner, sender].filter((person) => peerKeyOf(person) === peerKeyOf(owner));
  const names = here.map(namesOf);
  return partners.hasContact(recipientUid, peerId, {
    users: names.flatMap(({ users }) => users),
    persons: names.flatMap(({ persons }) => persons),
  });
}
