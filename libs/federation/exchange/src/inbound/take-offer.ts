import { FederationRefused, spellCloudId, webappAccess, type ShareOffer } from '#federation/protocol';
import type { InboundPorts } from '../ports/inbound';
import type { OfferedToUs, StoredOffer } from '../ports/received-share-changes';
import type { Prove } from '../ports/sender-proof';
import { acceptAwaited } from '../received/accept-awaited';
import { autoAccept } from '../received/auto-accept';
import { GROUP } from '../received/group-share';
import { admitOffer, type Addressed, type AdmittedOffer } from './admit-offer';
import { assertStorable, expiryOf, permissionsOfOffer } from './offer-limits';
import { offerSubject } from './offer-subject';

/** Answer to an accepted offer. */
export interface TakenOffer {
  readonly recipientDisplayName: string;
}

/**
 * Takes an offer of a share to one of our users, or to each member of a group here. No server is called, unless the policy needs to know
 * the sender: the partner is discovered when the first message goes to it. A recipient with too many undecided offers gets no
 * more of them. A repeated offer, with the same provider id, secret and recipient, changes nothing and gets the same
 * answer, even after the share was decided on or withdrawn.
 *
 * @param read parses the offer; not called while no offers are accepted
 * @param prove finds out whether the owner's server sent it
 * @throws FederationRefused
 */
export async function takeOffer(
  ports: InboundPorts,
  read: () => ShareOffer,
  prove: Prove,
): Promise<TakenOffer> {
  const { federation } = await ports.policy.current();
  if (!federation.incoming) throw new FederationRefused('incoming-disabled');
  const offer = federation.webapps.incoming ? read() : withoutWebapp(read());
  assertStorable(offer);
  const addressed = await addressedBy(ports, offer);
  const admitted = await admitOffer(ports, offer, addressed, prove);
  const uids = admitted.recipients.map(({ uid }) => uid);
  const stored = await ports.received.insert(storedForm(ports, offer, admitted), uids, offerSubject(offer));
  const taken = uids.filter((uid) => stored.get(uid) !== 'no-room');
  if (taken.length === 0) throw new FederationRefused('temporarily-unavailable');
  for (const uid of taken) await acceptForRecipient(ports, uid, stored.get(uid), admitted);
  // In the meantime the partner's server may have been found to sign.
  if (admitted.proof === 'unknown') await ports.received.withdrawUnsigned(admitted.peerId);
  return { recipientDisplayName: addressed.name };
}

/** @throws FederationRefused if nothing else is left */
function withoutWebapp(offer: ShareOffer): ShareOffer {
  if (!offer.hasFiles) throw new FederationRefused('protocol-unsupported', 'webapp');
  return { ...offer, webapp: null };
}

/**
 * Maximum number of members that one group offer may reach. A larger group is refused: an offer to a part of it would
 * look like an offer to all.
 */
const MOST_MEMBERS = 200;

const nobody = (why: FederationRefused): Addressed => ({ recipients: [], name: '', why });

/** The accounts that the offer reaches. @throws FederationRefused if no offer may reach a group */
async function addressedBy(
  { accounts, policy }: InboundPorts,
  { shareType, recipientId }: ShareOffer,
): Promise<Addressed> {
  const unknown = nobody(new FederationRefused('recipient-unknown', recipientId));
  if (shareType === 'user') {
    const account = await accounts.find(recipientId);
    return account?.enabled ? { recipients: [account], name: account.displayName } : unknown;
  }
  if (!(await policy.current()).federation.incomingToGroups)
    throw new FederationRefused('share-type-unsupported', shareType);
  const members = await accounts.membersOf(recipientId, MOST_MEMBERS + 1);
  if (members.length > MOST_MEMBERS)
    return nobody(new FederationRefused('share-type-unsupported', shareType));
  const recipients = members.filter(({ enabled }) => enabled);
  return recipients.length > 0 ? { recipients, name: recipientId } : unknown;
}

/** Accepts the stored offer if nobody has to decide about it. */
async function acceptForRecipient(
  { acceptance }: InboundPorts,
  uid: string,
  stored: StoredOffer | undefined,
  { peerId, proof, awaitedBy }: AdmittedOffer,
): Promise<void> {
  if (typeof stored === 'number' && proof === 'signed')
    await autoAccept(acceptance, { receivedShareId: stored, recipientUid: uid, peerId });
  // A user who awaits this offer began to save the link before its server could send it.
  if (awaitedBy.includes(uid)) await acceptAwaited(acceptance, uid, peerId);
}

function storedForm(
  { secrets }: InboundPorts,
  offer: ShareOffer,
  { peerId, proof }: AdmittedOffer,
): OfferedToUs {
  const secret = offer.sharedSecret.reveal();
  const secretOfWebapp = offer.webapp?.sharedSecret.reveal() ?? secret;
  return {
    peerId,
    providerId: offer.providerId,
    tokenHmac: secrets.lookup(secret),
    tokenEnc: secrets.seal(secret),
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
    webappTokenEnc: secretOfWebapp === secret ? null : secrets.seal(secretOfWebapp),
    access: {
      webdavUri: offer.webdavUri,
      requirements: offer.requirements,
      permissionsStated: offer.permissions !== null,
      ...(proof === 'unknown' && { senderUnknown: true }),
      ...(offer.shareType !== 'user' && { [GROUP]: offer.recipientId }),
      ...webappAccess(offer.webapp, offer.hasFiles),
    },
    verified: proof === 'signed',
  };
}
