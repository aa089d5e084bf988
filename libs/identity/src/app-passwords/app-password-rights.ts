import type { Account } from '../account';
import { AuthenticationFailed } from '../authentication-failed';

/** Areas of app passwords. */
const APP_PASSWORD_SCOPES = ['files', 'sharing', 'administration'] as const;
export type AppPasswordScope = (typeof APP_PASSWORD_SCOPES)[number];

export const isAppPasswordScope = (text: string): text is AppPasswordScope =>
  (APP_PASSWORD_SCOPES as readonly string[]).includes(text);

/**
 * A route's demand on app passwords: one of their scopes; none (`account`: facts about the account itself and its server);
 * that the request is about this very app password (`app-password`); or another sign-in than an app password
 * (`sign-in`, and `second-factor`, which is open
 * to sessions that still have to set up a second factor).
 */
export type RouteScope = AppPasswordScope | 'account' | 'app-password' | 'sign-in' | 'second-factor';

/** Rights of an app password. */
export interface AppPasswordRights {
  readonly scopes: readonly string[];
  readonly readOnly: boolean;
}

/**
 * Refuses an app password without the route's scope.
 * @param reads whether the request changes nothing
 * @throws AuthenticationFailed `not-granted`
 */
export function assertGranted(scope: RouteScope, reads: boolean, rights: AppPasswordRights): void {
  if (scope === 'app-password') return;
  const isOpen = scope === 'account' || rights.scopes.includes(scope);
  if (!isOpen || (rights.readOnly && !reads)) throw new AuthenticationFailed('not-granted');
}

/** The account with the rights of this app password: without the scope, its administration is left out. */
export function accountWithin(account: Account, { scopes }: AppPasswordRights): Account {
  return scopes.includes('administration') ? account : { ...account, isAdmin: false, subadminOf: [] };
}
