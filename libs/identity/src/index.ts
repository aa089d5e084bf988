export { ADMIN_GROUP, type Account, type Identity } from './account';
export { AccountEnds, type EndOfAccount, type EndState } from './account-end/account-ends';
export { AccountDirectory } from './account-directory';
export { describeQuota, parseQuota, parseUserId } from './account-rules';
export {
  accountEndsOn,
  administrationOn,
  appPasswordsOn,
  browserSessionsOn,
  createFirstAdministrator,
  remoteMembersOn,
  secondFactorsOn,
  scimClientsOn,
  weakAdminPassword,
} from './administration';
export { AuthenticationFailed, type AuthenticationFailure } from './authentication-failed';
export { AccountGuard, appPasswordOf, identityOf, sessionOf, strengthOf } from './account.guard';
export { choiceOfClient, parseChoice, type WantedAppPassword } from './app-passwords/app-password-choice';
export { AppPasswordRefused, type AppPasswordRefusal } from './app-passwords/app-password-refused';
export { AppPasswords, type CreatedAppPassword } from './app-passwords/app-passwords';
export { RequireScope } from './app-passwords/require-scope';
export { Passkeys, type PasskeyQuestion, type ShownPasskey } from './second-factor/passkeys';
export { PendingSignIns } from './second-factor/pending-sign-ins';
export { SecondFactorRefused, type SecondFactorRefusal } from './second-factor/second-factor-refused';
export { SecondFactors } from './second-factor/second-factors';
export { LoginFlows } from './login-flow/login-flows';
export { BrowserSessions } from './sessions/browser-sessions';
export { isRequestToken, noSessionCookie, requestTokenOf } from './sessions/session-cookie';
export { MainPasswords } from './sign-in/main-passwords';
export { isTokenAlone } from './sign-in/request-credentials';
export { RequestAuthenticator } from './sign-in/request-authenticator';
export { StandingSignIns, type StandingSignIn } from './sign-in/standing-sign-ins';
export { readBasic } from './sign-in/request-credentials';
export { CallLimits } from './call-limits';
export type { GroupOfSource, IdentitySource, PersonOfSource } from './directories/identity-source';
export { SourceAccounts } from './directories/source-accounts';
export { SourceGroups } from './directories/source-groups';
export { DownloadGuard } from './download.guard';
export { IdentityModule } from './identity.module';
export { isOursToAsk, tokenToAskWith } from './handshake-tokens';
export { LinkPasswords, type ProtectedLink } from './link-passwords';
export { PasswordHasher } from './password-hasher';
export { ProvisioningFailed, type ProvisioningFailure } from './provisioning-failed';
export { ShareAccessTokens, type GivenAccessToken, type ReadAccessToken } from './share-access-tokens';
export { SignedAddresses } from './signed-addresses';
export { LdapDirectory } from './ldap/ldap-directory';
export { ldapSettings } from './ldap/ldap-settings';
export { directoryStateOn, ldapSyncOn } from './ldap/ldap-sync';
export { LdapFailure } from './ldap/ldap-connection';
export { issuerNoteCookie, readIssuerNote } from './oidc/note-cookie';
export { Issuer, type IssuerDocument } from './oidc/issuer';
export { IssuerLogouts } from './oidc/issuer-logouts';
export { IssuerSignIns, type IssuerSession } from './oidc/issuer-sign-ins';
export { unseenAccountsOn } from './oidc/unseen-accounts';
export { TrustedIssuer } from './oidc/trusted-issuer';
export { oidcSettings, oidcSource, type OidcSettings } from './oidc/oidc-settings';
export { IssuerFailure } from './oidc/read-json';
export { BudgetSpent } from './shared-budgets';
export { MOST_MEMBERS, RemoteMembers } from './remote-members';
export { ScimClients } from './scim/scim-clients';
export { ScimFailed } from './scim/scim-failed';
export { ScimGroups } from './scim/scim-groups';
export { scimListOf, type ScimList } from './scim/scim-lists';
export { parseProjection, parseQuery, projected, type ScimProjection } from './scim/scim-query';
export {
  ERROR_SCHEMA as SCIM_ERROR_SCHEMA,
  resourceTypesAt,
  schemasAt,
  serviceProviderConfigAt,
} from './scim/scim-schemas';
export { ScimUsers, type ScimCall } from './scim/scim-users';
export { versionOf, type Precondition } from './scim/scim-version';
export { UserAccounts, type NewUser } from './user-accounts';
export { defaultPreference } from './user-preferences';
export { UserGroups } from './user-groups';
