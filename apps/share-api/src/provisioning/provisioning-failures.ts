import { AuthenticationFailed, ProvisioningFailed, type ProvisioningFailure } from '#identity';
import { OcsFailure } from '#ocs/http';
import { OCS } from '#ocs/protocol';

/** Code of a failure, unless a call names another one. Source: ocs-facts 11. */
const CODES: Readonly<Record<ProvisioningFailure, number>> = {
  'user-exists': 102,
  'user-unknown': OCS.NOT_FOUND,
  'user-id-refused': 101,
  'password-refused': 101,
  'group-exists': 102,
  'group-unknown': OCS.NOT_FOUND,
  'group-id-refused': 101,
  'group-protected': 102,
  'display-name-refused': 400,
  'email-refused': 102,
  'quota-refused': 103,
  'preference-unknown': 404,
  'preference-refused': 400,
  'account-end-refused': 400,
  'not-subadmin': 102,
  'self-refused': 101,
  'managed-elsewhere': 112,
  'last-administrator': 105,
};

/** Failures that deployed servers answer without a text. */
const SILENT: ReadonlySet<ProvisioningFailure> = new Set(['group-exists', 'self-refused']);

export function provisioningFailure(error: unknown): OcsFailure | undefined {
  if (!(error instanceof ProvisioningFailed)) return undefined;
  return new OcsFailure(CODES[error.reason], SILENT.has(error.reason) ? null : error.message);
}

/** Runs `work`; failures in `codes` are answered with that code, without a text unless `worded`. */
export async function answering<T>(
  codes: Partial<Record<ProvisioningFailure, number>>,
  work: () => Promise<T>,
  worded = false,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof ProvisioningFailed ? codes[error.reason] : undefined;
    if (code === undefined) throw error;
    throw new OcsFailure(code, worded ? (error as Error).message : null);
  }
}

/** The caller has no permission: 997 with the text of an unauthorised request. */
export const unauthorised = (): AuthenticationFailed => new AuthenticationFailed('wrong');
/** The caller may not do this to that user: 997 without a text. */
export const forbidden = (): OcsFailure => new OcsFailure(OCS.UNAUTHORISED, null);
