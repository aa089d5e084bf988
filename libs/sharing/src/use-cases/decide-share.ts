import { differencesOf } from '../domain/compatibility';
import { isRecipient, mayManage, stateOf, type Share, type ShareView } from '../domain/share';
import { SharingFailed } from '../domain/sharing-failed';
import { TRANSITIONS, type StateTrigger } from '../domain/state';
import type { Caller, SharingPorts } from '../ports/ports';
import { receivedView } from './share-views';

/** Accepts a received share in any state. @throws SharingFailed api-disabled, share-unknown, only-recipient */
export async function acceptShare(ports: SharingPorts, caller: Caller, id: number): Promise<ShareView> {
  return decide(ports, caller, await findDecidable(ports, caller, id), 'accept');
}

/**
 * Declines a received share. At `shares/pending/{id}` in documented mode, a call by its manager deletes the share.
 * @returns undefined if the mode answers without a record
 * @throws SharingFailed api-disabled, share-unknown, only-recipient, already-declined
 */
export async function declineShare(
  ports: SharingPorts,
  caller: Caller,
  id: number,
): Promise<ShareView | undefined> {
  const differences = differencesOf(ports.compatibility);
  const share = await findVisible(ports, caller, id);
  if (mayManage(share, caller.uid)) {
    if (!differences.ownerDeletesThroughPending) throw new SharingFailed('only-recipient');
    await ports.shares.remove(id);
    return undefined;
  }
  if (differences.decliningAgainFails && stateOf(share) === 'declined')
    throw new SharingFailed('already-declined');
  const view = await decide(ports, caller, share, 'decline');
  return differences.declineShowsRecord ? view : undefined;
}

/** The share, for its recipients and managers. */
async function findVisible(ports: SharingPorts, caller: Caller, id: number): Promise<Share> {
  if (!(await ports.policy.current()).apiEnabled) throw new SharingFailed('api-disabled');
  const share = await ports.shares.find(id, caller.uid);
  if (!share || !(mayManage(share, caller.uid) || isRecipient(share, caller.uid, caller.groups)))
    throw new SharingFailed('share-unknown');
  return share;
}

async function findDecidable(ports: SharingPorts, caller: Caller, id: number): Promise<Share> {
  const share = await findVisible(ports, caller, id);
  if (mayManage(share, caller.uid)) throw new SharingFailed('only-recipient');
  return share;
}

async function decide(
  ports: SharingPorts,
  caller: Caller,
  share: Share,
  trigger: StateTrigger,
): Promise<ShareView> {
  const before = stateOf(share);
  const after = TRANSITIONS[before][trigger];
  if (after !== before)
    await ports.tree.decide(caller.uid, { id: share.id, nodeId: share.node.nodeId }, after);
  if (after === 'accepted') await ports.tree.placeReceived(caller.uid);
  const decided = await ports.shares.find(share.id, caller.uid);
  if (!decided) throw new SharingFailed('share-unknown');
  return receivedView(decided, true);
}
