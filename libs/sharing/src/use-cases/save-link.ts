import { mayShare } from '../domain/policy';
import { READ, SHARE } from '../domain/permissions';
import { isOwn, type SharedNode, type ShareView } from '../domain/share';
import { SharingFailed } from '../domain/sharing-failed';
import { dayOf, expiryBehind, type Day } from '../domain/expiry';
import type { Caller, SharingPorts } from '../ports/ports';
import { assertOutgoing, findRemote, offerShare } from '../kinds/federated-kind';
import { managedView } from './share-views';

/** A public link that a visitor wants to save at their own server. */
export interface LinkToOffer {
  readonly linkId: number;
  readonly node: SharedNode;
  /** Present permissions of the link. */
  readonly permissions: number;
  readonly expiresOn: Day | null;
  /** The cloud id of the person who saves it. */
  readonly shareWith: string;
}

/**
 * Shares the node of a public link with a person at another server, in the name of the link's maker. The share has the permissions of the
 * link, may not be passed on, and ends with the link, or earlier if the rule for federated shares demands it.
 *
 * @param initiator the maker of the link
 * @throws SharingFailed remote-disabled, sharer-excluded, not-shareable for a link that shows no content or leads to a third
 * server, and the errors of `findRemote` and `offerShare`
 */
export async function offerLink(
  ports: SharingPorts,
  initiator: Caller,
  link: LinkToOffer,
): Promise<ShareView> {
  const { node, expiresOn, linkId } = link;
  const policy = await ports.policy.current();
  assertOutgoing(policy, node);
  if (!mayShare(policy, initiator.groups)) throw new SharingFailed('sharer-excluded');
  const permissions = link.permissions & ~SHARE;
  if ((permissions & READ) === 0 || node.isRemote)
    throw new SharingFailed('not-shareable', { path: node.name });
  const { shareWith } = link;
  const recipient = await findRemote({
    ...{ ports, policy, caller: initiator, node, shareWith },
    isForGroup: false,
  });
  const lastDay = expiryBehind(expiresOn, policy.expiry.remote, dayOf(ports.clock.now()));
  const conditions = { permissions, expiresOn: lastDay, attributes: null, note: null };
  const draft = { node, initiatorUid: initiator.uid, ...conditions, recipient, isForGroup: false, linkId };
  const share = await offerShare(ports, initiator, draft);
  const { uid } = initiator;
  const coverage = isOwn(node, uid) ? [] : await ports.shares.coverage(uid, [node.nodeId]);
  return managedView(initiator, share, coverage);
}
