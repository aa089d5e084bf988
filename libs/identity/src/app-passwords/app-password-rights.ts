import type { Account } from '../account';
import { AuthenticationFailed } from '../authentication-failed';

/** Areas that an app password can be for. */
const APP_PASSWORD_SCOPES = ['files', 'sharing', 'administration'] as const;
export type AppPasswordScope = (typeof APP_PASSWORD_SCOPES)[number];

export const isAppPasswordScope = (text: string): text is AppPasswordScope =>
  (APP_PASSWORD_SCOPES as readonly string[]).includes(text);

/**
 * Demand of a route on app passwords: one of their scopes; nothing (`account`: facts about the account itself and its server);
 * to be the one that the request is about (`app-password`); or not to be one (`sign-in`, and `second-factor`, which is open
 * to sessions that have to set up a second factor first).
 */
export type RouteScope = AppPasswordScope | 'account' | 'app-password' | 'sign-in' | 'second-factor';

/** Rights of an app password. */
export interface AppPasswordRights {
  readonly scopes: readonly string[];
  readonly readOnly: boolean;
}

/**
 * Refuses an app password that a route is not for.
 * @param reads whether the request changes nothing
 * @throws AuthenticationFailed `not-granted`
 */
export function assertGranted(scope: RouteScope, reads: boolean, rights: AppPasswordRights): void {
  if (scope === 'app-password') return;
  const isOpen = scope === 'account' || rights.scopes.includes(scope);
  if (!isOpen || (rights.readOnly && !reads)) throw new AuthenticationFailed('not-granted');
}

/** The account as a request with this app password may act: without the scope, its administration is left out. */
export function accountWithin(account: Account, { scopes }: AppPasswordRights): Account {
  return scopes.includes('administration') ? account : { ...account, isAdmin: false, subadminOf: [] };
}
