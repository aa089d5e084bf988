import { hasFiles, LINK_DIALECT, localCloudId } from '#federation/protocol';
import { answerToOffer, type OfferAnswer } from '../messages/new-message';
import { isOfGroup } from './group-share';
import type { AcceptanceChanges, DecidableShare, DecisionChanges } from '../ports/acceptance';

/** An accepted share: its place in the recipient's tree, null without files, and its new revision. */
export interface AcceptedShare {
  readonly fileTarget: string | null;
  readonly revision: number;
}

/**
 * Accepts a locked share: it gets a place if it has files, its notification is removed, its owner's server gets a message, and a probe is scheduled.
 * @param shareFolder folder for received shares; `/` or a path without trailing slash
 */
export async function acceptReceived(
  shares: AcceptanceChanges,
  share: DecidableShare,
  shareFolder: string,
): Promise<AcceptedShare> {
  const fileTarget = hasFiles(share.access) ? await placed(shares, share, shareFolder) : null;
  const revision = await decide(shares, share, { kind: 'accepted' });
  await shares.announceProbe(share.peerId);
  return { fileTarget, revision };
}

async function placed(
  shares: AcceptanceChanges,
  share: DecidableShare,
  shareFolder: string,
): Promise<string> {
  const wished = `${shareFolder === '/' ? '' : shareFolder}/${share.name}`;
  const fileTarget = await shares.freeTarget(share.recipientUid, wished, share.kind);
  await shares.place(share.id, fileTarget);
  return fileTarget;
}

/**
 * Declines a locked share, or leaves an accepted one.
 * @param reason text of the recipient for its owner; null for none
 * @returns its new revision
 */
export function declineReceived(
  shares: DecisionChanges,
  share: DecidableShare,
  reason: string | null,
): Promise<number> {
  return decide(shares, share, { kind: 'declined', reason });
}

async function decide(
  shares: DecisionChanges,
  share: DecidableShare,
  decision: Exclude<OfferAnswer, { kind: 'seen' | 'accepted' }> | { readonly kind: 'accepted' },
): Promise<number> {
  const revision = await shares.changeState(share.id, decision.kind);
  await shares.removeNotice(share.recipientUid, share.id);
  // The server of a public link does not know who reads it.
  if (share.dialect === LINK_DIALECT) return revision;
  // Its server would take one member's decline as the end of the whole share.
  if (decision.kind === 'declined' && isOfGroup(share.access)) return revision;
  // If our address is unknown, its server identifies the recipient by the secret alone.
  const grantee = shares.ourUrl === null ? null : localCloudId(share.recipientUid, shares.ourUrl).raw;
  await shares.send(answerToOffer(share, decision, revision, grantee));
  return revision;
}
