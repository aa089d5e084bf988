import { mayManage } from '../domain/share';
import { SharingFailed } from '../domain/sharing-failed';
import type { Caller, SharingPorts } from '../ports/ports';

/** Ends a share for everybody. @throws SharingFailed api-disabled, share-unknown, delete-not-allowed */
export async function deleteShare(ports: SharingPorts, caller: Caller, id: number): Promise<void> {
  if (!(await ports.policy.current()).apiEnabled) throw new SharingFailed('api-disabled');
  const share = await ports.shares.find(id, caller.uid);
  if (!share) throw new SharingFailed('share-unknown');
  if (!mayManage(share, caller.uid)) throw new SharingFailed('delete-not-allowed');
  if (!(await ports.shares.remove(id))) throw new SharingFailed('share-unknown');
}
