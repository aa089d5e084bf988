import { SharingFailed } from '../domain/sharing-failed';
import type { Caller, SharingPorts } from '../ports/ports';

/** Ends a share for everybody. @throws SharingFailed api-disabled, share-unknown, delete-not-allowed */
export async function deleteShare(ports: SharingPorts, caller: Caller, id: number): Promise<void> {
  if (!(await ports.policy.current()).apiEnabled) throw new SharingFailed('api-disabled');
  if (await ports.shares.removeManaged(id, caller.uid)) return;
  const share = await ports.shares.find(id, caller.uid);
  throw new SharingFailed(share ? 'delete-not-allowed' : 'share-unknown');
}
