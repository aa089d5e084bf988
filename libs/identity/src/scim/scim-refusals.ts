import { ProvisioningFailed, type ProvisioningFailure } from '../provisioning-failed';
import { ScimFailed } from './scim-failed';

const CONFLICTS: ReadonlySet<ProvisioningFailure> = new Set(['user-exists', 'group-exists']);

/** Runs `work`, and converts refusals of account administration to SCIM. */
export async function refusedAsScim<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProvisioningFailed)) throw error;
    if (CONFLICTS.has(error.reason)) throw new ScimFailed(409, error.message, 'uniqueness');
    if (error.reason === 'user-unknown' || error.reason === 'group-unknown')
      throw new ScimFailed(404, error.message);
    if (error.reason === 'account-end-refused') throw new ScimFailed(409, error.message);
    throw new ScimFailed(400, error.message, 'invalidValue');
  }
}
