import { FederationRefused, MUST_EXCHANGE, namesOf, peerKeyOf, type ShareOffer } from '#federation/protocol';
import { asksWhoOffers, partnerAccess, partnerNamed, STRONG_SESSION, unmetRequirements } from '#sharing';
import type { InboundPorts, Recipient } from '../ports/inbound';
import type { InboundPartners, KnownPartner } from '../ports/inbound-partners';
import type { Proof, Prove } from '../ports/sender-proof';

/** An admitted offer: the partner, how well its identity is proven, and the recipients that it may reach. */
export interface AdmittedOffer {
  readonly partner: KnownPartner;
  readonly proof: Proof;
  /** Has at least one entry. */
  readonly recipients: readonly Recipient[];
}

/**
 * Decides whether an offer is admitted: finds the partner, and whether its identity is proven. A refused partner is
 * not entered. Members of a
 * group are left out if an offer to them alone would be refused.
 * @throws FederationRefused partner-not-allowed, requirement-unsupported, exchange-needed, invitation-needed,
 * temporarily-unavailable, and those of `prove`
 */
export async function admitOffer(
  ports: Pick<InboundPorts, 'policy' | 'partners'>,
  offer: ShareOffer,
  recipients: readonly Recipient[],
  prove: Prove,
): Promise<AdmittedOffer> {
  const policy = await ports.policy.current();
  const { partners } = ports;
  const hostKey = peerKeyOf(offer.owner);
  partners.actAs({ hostKey });
  const known = await partners.find(hostKey);
  const said = known ?? (await partners.regarded(hostKey));
  const access = partnerAccess(policy, 'incoming', partnerNamed(hostKey, said));
  if (access === 'closed') throw new FederationRefused('partner-not-allowed');
  // The second factor is checked when the share is opened.
  const unmet = unmetRequirements(offer.requirements, STRONG_SESSION);
  if (unmet.length > 0) throw new FederationRefused('requirement-unsupported', unmet.join(', '));
  if (policy.federation.tokenExchange.incoming && !offer.requirements.includes(MUST_EXCHANGE))
    throw new FederationRefused('exchange-needed');
  const invited = access === 'contacts' ? await invitedAmong(partners, offer, recipients, known) : recipients;
  if (invited.length === 0) throw new FederationRefused('invitation-needed');
  const willing = await filtered(invited, async ({ uid }) => !(await isBlocked(partners, offer, uid)));
  if (willing.length === 0) throw new FederationRefused('partner-not-allowed');
  const proof = await prove(hostKey);
  const partner = known ?? (await partners.ensure(hostKey));
  if (proof === 'signed') partners.actAs({ peerId: partner.id });
  if (asksWhoOffers(policy) && !(await partners.isPartner(partner)))
    throw new FederationRefused('temporarily-unavailable');
  return { partner, proof, recipients: willing };
}

/** Recipients who have the sender as a contact. */
async function invitedAmong(
  partners: InboundPartners,
  offer: ShareOffer,
  recipients: readonly Recipient[],
  known: KnownPartner | undefined,
): Promise<readonly Recipient[]> {
  return known ? filtered(recipients, ({ uid }) => isInvited(partners, offer, uid, known)) : [];
}

async function filtered<T>(all: readonly T[], holds: (one: T) => Promise<boolean>): Promise<readonly T[]> {
  const kept: T[] = [];
  for (const one of all) if (await holds(one)) kept.push(one);
  return kept;
}

/** An offer that its recipient blocks gets the same refusal as one that the policy blocks: the answer does not reveal the difference. */
function isBlocked(partners: InboundPartners, { owner, sender }: ShareOffer, uid: string): Promise<boolean> {
  const both = [owner, sender];
  return partners.isBlocked(
    uid,
    both.map(peerKeyOf),
    both.map(({ canonical }) => canonical),
  );
}

/** Sender and owner can be two people. A contact at another server does not count here. */
function isInvited(
  partners: InboundPartners,
  { owner, sender }: ShareOffer,
  recipientUid: string,
  { id }: KnownPartner,
): Promise<boolean> {
  const here = [owner, sender].filter((person) => peerKeyOf(person) === peerKeyOf(owner));
  const names = here.map(namesOf);
  return partners.hasContact(recipientUid, id, {
    users: names.flatMap(({ users }) => users),
    persons: names.flatMap(({ persons }) => persons),
  });
}
