import { FederationRefused, leftBy, wordsOf, type PartnerNotice } from '#federation/protocol';
import { clampToKind } from '#sharing';
import type { InboundPorts } from '../ports/inbound';
import type { NotifiedShare, OurShares } from '../ports/our-shares';
import { assertOutgoing, boundShare, hasEnded, type Binding } from './bound-share';

/* Notices of partners about our shares, and notices of owners about shares that they made on our request. */

type ChangeNotice = Binding & Pick<Changed, 'permissions' | 'exact'>;
type Changed = Extract<PartnerNotice, { permissions: number; exact: boolean }>;

/** The recipient accepted. @throws FederationRefused */
export async function recipientAccepted(ports: InboundPorts, notice: Binding): Promise<void> {
  await assertOutgoing(ports);
  await ports.ours.change(async (shares) => {
    const share = await boundShare(ports, shares, notice);
    await shares.accept(share.id);
  });
}

/** The recipient saw the offer. @throws FederationRefused */
export async function recipientSaw(ports: InboundPorts, notice: Binding): Promise<void> {
  await assertOutgoing(ports);
  await ports.ours.change(async (shares) => {
    const share = await boundShare(ports, shares, notice);
    await shares.see(share.id);
  });
}

/**
 * The recipient declined, or left an accepted share: the share ends, unless it is one of a group.
 * @param reason their text; null for none @throws FederationRefused
 */
export async function recipientDeclined(
  ports: InboundPorts,
  notice: Binding,
  reason: string | null,
): Promise<void> {
  await assertOutgoing(ports);
  try {
    if (await isDoubtful(ports, notice)) return;
    await once(ports, 'share-declined', notice, (shares, share) => shares.end(share.id, reason));
  } catch (error) {
    // ownCloud repeats a refused message for hours. If the share has already ended here, its wish is fulfilled.
    if (!(error instanceof FederationRefused) || !(await hasEnded(ports, notice))) throw error;
  }
}

/**
 * The recipient may have the share twice and use one copy: then the first of two declines is ignored. Of a share with a group, a
 * decline is that of one member: others go on to use it.
 */
function isDoubtful(ports: InboundPorts, notice: Binding): Promise<boolean> {
  return ports.ours.change(async (shares) => {
    const share = await boundShare(ports, shares, notice).catch(undefinedIfRefused);
    return share !== undefined && (share.isForGroup || (await shares.doubt(share.id)));
  });
}

function undefinedIfRefused(error: unknown): undefined {
  if (!(error instanceof FederationRefused)) throw error;
}

/**
 * The requester withdraws a share with another person, or the owner withdraws a share that we requested.
 * @throws FederationRefused
 */
export function reshareUndone(ports: InboundPorts, notice: Binding): Promise<void> {
  return once(ports, 'reshare-undone', notice, async (shares, share) => {
    // A withdrawal by the owner is followed even when sharing is turned off.
    if (share.isGranted) return shares.drop(share.id);
    await assertOutgoing(ports);
    if (share.requesterPeerId === null) throw new FederationRefused('share-unknown', notice.providerId);
    return shares.revoke(share.id);
  });
}

/** Only the owner of a share can raise its permissions. @throws FederationRefused */
export async function permissionsOfOursChanged(ports: InboundPorts, notice: ChangeNotice): Promise<void> {
  await assertOutgoing(ports);
  await ports.ours.change(async (shares) => {
    const share = await boundShare(ports, shares, notice);
    // A word can mean more permissions than a file can have, and more than intended.
    const said = clampToKind(notice.permissions, share.kind);
    const permissions = notice.exact || share.isGranted ? said : leftBy(said, share.permissions);
    if (!share.isGranted && (permissions & ~share.permissions) !== 0)
      throw new FederationRefused('permission-refused');
    if (changesNothing({ permissions, exact: notice.exact }, share)) return;
    await shares.changePermissions(share.id, permissions);
    // The sender of the notice gets no message. For a requested share the sender is the requester, so its recipient has to be told.
    if (share.requesterPeerId !== null) await shares.notifyRecipient(share.id, permissions);
  });
}

/** Words for permissions do not cover the bit for deletion: the same words are no change. */
function changesNothing(
  { permissions, exact }: Pick<ChangeNotice, 'permissions' | 'exact'>,
  share: NotifiedShare,
): boolean {
  return exact
    ? permissions === share.permissions
    : String(wordsOf(permissions)) === String(wordsOf(share.permissions));
}

/** A repeated end gets the first answer, although the share no longer exists. */
async function once(
  ports: InboundPorts,
  kind: 'share-declined' | 'reshare-undone',
  notice: Binding,
  work: (shares: OurShares, share: NotifiedShare) => Promise<void>,
): Promise<void> {
  // A notice without a binding is refused below, and a refusal is not kept.
  const boundBy = notice.sharedSecret?.reveal() ?? notice.senders.join();
  const key = ports.secrets.lookup(`${kind}\n${notice.providerId}\n${boundBy}`);
  await ports.ours.once({ key, kind }, async (shares) => {
    const share = await boundShare(ports, shares, notice);
    await work(shares, share);
    return { peerId: share.peerId, reply: undefined };
  });
}
