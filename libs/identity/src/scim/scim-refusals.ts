import type { ScimRefusal } from '#persistence';
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
    throw new ScimFailed(400, error.message, 'invalidValue');
  }
}

/**
 * The result of a change, unless it was refused.
 * @param taken the failure if another resource has the name
 * @returns the result; `overtaken` if another change came first
 */
export function unlessRefused<T>(made: T | ScimRefusal, taken: () => ScimFailed): T | 'overtaken' {
  if (made === 'taken') throw taken();
  if (made === 'detached') throw new ScimFailed(409, 'The account does not belong to this client any more');
  if (made === 'ending')
    throw new ScimFailed(409, 'Somebody else asked for the end of this account, or it has begun');
  if (made === 'successor')
    throw new ScimFailed(409, 'The account gets the files of another one that is ending');
  return made;
}
