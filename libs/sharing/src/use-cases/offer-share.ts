import { FEDERATED_SECRET_LENGTH } from '../domain/compatibility';
import type { ShareView } from '../domain/share';
import { SharingFailed } from '../domain/sharing-failed';
import type { Caller, NewFederatedShare, SharingPorts } from '../ports/ports';
import { managedView } from './share-views';

/**
 * Shares with a person on another instance: stores the share and the message to their server together, and waits a
 * short time for that server's verdict. Without one the share stays, and the message is tried again.
 * @throws SharingFailed path-wrong, remote-duplicate; an OfferFailure, when the share is gone
 */
export async function offerShare(
  ports: SharingPorts,
  caller: Caller,
  draft: Omit<NewFederatedShare, 'shareToken'>,
): Promise<ShareView> {
  const shareToken = ports.linkSecrets.newToken(FEDERATED_SECRET_LENGTH);
  const offered = await ports.shares.insertFederated({ ...draft, shareToken });
  const { written: recipient, hostKey: host } = draft.recipient;
  const names = { name: draft.node.name, recipient, host };
  if (offered === 'gone') throw new SharingFailed('path-wrong');
  if (offered === 'duplicate') throw new SharingFailed('remote-duplicate', names);
  const verdict = await ports.partners.verdict(offered.offerId);
  if (verdict.kind === 'failed') {
    await ports.shares.remove(offered.shareId);
    throw new SharingFailed(verdict.failure, { ...names, words: verdict.words });
  }
  const share = await ports.shares.find(offered.shareId, caller.uid);
  if (!share) throw new SharingFailed('share-unknown');
  return managedView(ports.shares, caller, share);
}
