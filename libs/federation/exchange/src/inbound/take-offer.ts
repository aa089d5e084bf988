import { FederationRefused, spellCloudId, type ShareOffer } from '#federation/protocol';
import type { InboundPorts, Recipient } from '../ports/inbound';
import type { OfferedToUs } from '../ports/received-share-changes';
import type { Prove } from '../ports/sender-proof';
import { acceptAwaited } from '../received/accept-awaited';
import { autoAccept } from '../received/auto-accept';
import { admitOffer, type AdmittedPartner } from './admit-offer';
import { assertStorable, expiryOf, permissionsOfOffer } from './offer-limits';
import { offerSubject } from './offer-subject';

/** Answer to an offer that was taken. */
export interface TakenOffer {
  readonly recipientDisplayName: string;
}

/**
 * Takes a share that a partner offers to one of our users. No server is called for it, unless the policy wants to know
 * the sender: the partner is discovered when a message goes to it. A recipient with too many undecided offers gets no
 * more until then. The same offer again, by provider id, secret and recipient, changes nothing and gets the same
 * answer, also after the share was decided on or taken back.
 *
 * @param read parses the offer; not called where nothing is taken at all
 * @param prove finds out whether it is of its owner's server
 * @throws FederationRefused
 */
export async function takeOffer(
  ports: InboundPorts,
  read: () => ShareOffer,
  prove: Prove,
): Promise<TakenOffer> {
  const { federation } = await ports.policy.current();
  if (!federation.incoming) throw new FederationRefused('incoming-disabled');
  const offer = read();
  assertStorable(offer);
  const recipient = await recipientOf(ports, offer);
  const { received, acceptance } = ports;
  const admitted = await admitOffer(ports, offer, recipient.uid, prove);
  const { partner, proof } = admitted;
  const id = await received.insert(storedForm(ports, offer, recipient, admitted), offerSubject(offer));
  if (id === 'no-room') throw new FederationRefused('temporarily-unavailable');
  // It may have turned out meanwhile that its server signs.
  if (proof === 'unknown') await received.withdrawUnsigned(partner.id);
  if (id !== 'known' && proof === 'signed')
    await autoAccept(acceptance, { receivedShareId: id, recipientUid: recipient.uid, peerId: partner.id });
  await acceptAwaited(acceptance, recipient.uid, partner.id);
  return { recipientDisplayName: recipient.displayName };
}

async function recipientOf({ accounts }: InboundPorts, { recipientUid }: ShareOffer): Promise<Recipient> {
  const account = await accounts.find(recipientUid);
  if (!account?.enabled) throw new FederationRefused('recipient-unknown', recipientUid);
  return account;
}

function storedForm(
  { secrets }: InboundPorts,
  offer: ShareOffer,
  recipient: Recipient,
  { partner, proof }: AdmittedPartner,
): OfferedToUs {
  const secret = offer.sharedSecret.reveal();
  return {
    peerId: partner.id,
    providerId: offer.providerId,
    tokenHmac: secrets.lookup(secret),
    tokenEnc: secrets.seal(secret),
    recipientUid: recipient.uid,
    owner: spellCloudId(offer.owner, 'as-written'),
    ownerDisplayName: offer.ownerDisplayName,
    sender: spellCloudId(offer.sender, 'as-written'),
    senderDisplayName: offer.senderDisplayName,
    name: offer.name,
    description: offer.description,
    kind: offer.kind === 'unknown' ? null : offer.kind,
    permissions: permissionsOfOffer(offer),
    expiresAt: expiryOf(offer),
    dialect: offer.dialect,
    access: {
      webdavUri: offer.webdavUri,
      requirements: offer.requirements,
      permissionsStated: offer.permissions !== null,
      ...(proof === 'unknown' && { senderUnknown: true }),
    },
    verified: proof === 'signed',
  };
}
