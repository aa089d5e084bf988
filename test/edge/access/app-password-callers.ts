import type pg from 'pg';
import type { AppPasswords } from '#identity';
import { basicAuth } from '#testing';
import { isFullForm } from '../../../libs/testing/src/full-form';
import { UIDS } from './held';
import type { Caller, MatrixRow } from './matrix-rows';

/** A caller who signs in by an app password. */
interface AppPasswordCaller {
  readonly account: Extract<Caller, 'owner' | 'admin'>;
  readonly scopes: readonly string[];
  readonly readOnly: boolean;
  readonly state: 'live' | 'expired' | 'revoked';
}

const ALL = ['files', 'sharing', 'administration'];
const live = { account: 'owner', readOnly: false, state: 'live' } as const;

/** The app passwords that are tried on every route, by their names in the results. */
export const APP_PASSWORD_CALLERS = {
  'a full app password': { ...live, scopes: ALL },
  'an app password for files': { ...live, scopes: ['files'] },
  'an app password for sharing': { ...live, scopes: ['sharing'] },
  'an app password for reading': { ...live, scopes: ALL, readOnly: true },
  'an administrator’s full app password': { ...live, account: 'admin', scopes: ALL },
  'an administrator’s app password for files and sharing': {
    ...live,
    account: 'admin',
    scopes: ['files', 'sharing'],
  },
  'an expired app password': { ...live, scopes: ALL, state: 'expired' },
  'a revoked app password': { ...live, scopes: ALL, state: 'revoked' },
} satisfies Record<string, AppPasswordCaller>;

export type AppPasswordCallerName = keyof typeof APP_PASSWORD_CALLERS;
/** One for each part of the rule: scopes, reading, administration, and validity. */
const CROSS_SECTION: readonly AppPasswordCallerName[] = [
  'an app password for files',
  'an app password for sharing',
  'an app password for reading',
  'an administrator’s app password for files and sharing',
  'a revoked app password',
];
/** The tried ones: all of them in `npm run test:long`. */
export const APP_PASSWORD_CALLER_NAMES = isFullForm
  ? (Object.keys(APP_PASSWORD_CALLERS) as AppPasswordCallerName[])
  : CROSS_SECTION;

/** Makes all app passwords. @returns values of Authorization headers */
export async function makeAppPasswords(
  appPasswords: AppPasswords,
  pool: pg.Pool,
): Promise<Record<AppPasswordCallerName, string>> {
  const made: [string, string][] = [];
  for (const name of APP_PASSWORD_CALLER_NAMES) {
    const { account, scopes, readOnly, state }: AppPasswordCaller = APP_PASSWORD_CALLERS[name];
    const uid = UIDS[account]!;
    const { id, secret } = await appPasswords.create(
      uid,
      { name, scopes, readOnly, expiresAt: null },
      'one_factor',
    );
    if (state === 'revoked') await appPasswords.revoke(uid, id);
    if (state === 'expired')
      await pool.query('UPDATE app_password SET expires_at = now() WHERE id = $1', [id]);
    made.push([name, basicAuth(uid, secret)]);
  }
  return Object.fromEntries(made) as Record<AppPasswordCallerName, string>;
}

const SCOPE_OF = { files: 'files', sharing: 'sharing', admin: 'administration' } as const;

/**
 * The expected cell for a caller with an app password: the account's cell if the scopes include the route, the
 * anonymous cell if the app password is no longer valid, and 403 otherwise.
 * @param reads whether the method changes nothing
 */
export function appPasswordCell(
  { scope, cells }: MatrixRow,
  columns: readonly Caller[],
  name: AppPasswordCallerName,
  reads: boolean,
): string {
  const { account, scopes, readOnly, state }: AppPasswordCaller = APP_PASSWORD_CALLERS[name];
  if (state !== 'live') return cells[columns.indexOf('anonymous')]!;
  const ofAccount = cells[columns.indexOf(account)]!;
  if (scope === 'own') return '100';
  if (scope === 'never' || (readOnly && !reads)) return '403';
  return scope === 'any' || scopes.includes(SCOPE_OF[scope as keyof typeof SCOPE_OF]) ? ofAccount : '403';
}

/** Whether a row applies to this caller: the administrator's app passwords are for routes of administrators. */
export const isAsked = ({ scope }: MatrixRow, name: AppPasswordCallerName): boolean =>
  scope !== '-' && (APP_PASSWORD_CALLERS[name].account === 'owner' || scope === 'admin');
