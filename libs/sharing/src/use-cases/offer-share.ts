import { FEDERATED_SECRET_LENGTH } from '../domain/compatibility';
import type { ShareView } from '../domain/share';
import { SharingFailed } from '../domain/sharing-failed';
import type { Caller, NewFederatedShare, PartnerVerdict, SharingPorts } from '../ports/ports';
import { managedView } from './share-views';

/**
 * Shares with a person on another instance: stores the share and the message to their server together, and waits a
 * short time for that server's verdict. Without one the share stays, and the message is tried again.
 * @throws SharingFailed path-wrong, remote-duplicate; remote-refused and remote-unreachable, when the share is gone
 */
export async function offerShare(
  ports: SharingPorts,
  caller: Caller,
  draft: Omit<NewFederatedShare, 'shareToken'>,
): Promise<ShareView> {
  const shareToken = ports.linkSecrets.newToken(FEDERATED_SECRET_LENGTH);
  const offered = await ports.shares.insertFederated({ ...draft, shareToken });
  const names = { name: draft.node.name, recipient: draft.recipient.written };
  if (offered === 'gone') throw new SharingFailed('path-wrong');
  if (offered === 'duplicate') throw new SharingFailed('remote-duplicate', names);
  const refusal = refusalOf(await ports.partners.verdict(offered.offerId), names);
  if (refusal) {
    await ports.shares.remove(offered.shareId);
    throw refusal;
  }
  const share = await ports.shares.find(offered.shareId, caller.uid);
  if (!share) throw new SharingFailed('share-unknown');
  return managedView(ports.shares, caller, share);
}

function refusalOf(
  verdict: PartnerVerdict,
  names: { readonly name: string; readonly recipient: string },
): SharingFailed | undefined {
  if (verdict.kind === 'taken' || verdict.kind === 'later') return undefined;
  const words = verdict.kind === 'refused' ? verdict.words : '';
  return words === ''
    ? new SharingFailed('remote-unreachable', names)
    : new SharingFailed('remote-refused', { ...names, words });
}
