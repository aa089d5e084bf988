import { Global, Module } from '@nestjs/common';
import {
  AccountEndRepository,
  AccountEndSteps,
  AccountRepository,
  AccountStateRepository,
  AppPasswordRepository,
  BrowserSessionRepository,
  CallBudgetRepository,
  Database,
  ExternalGroupRepository,
  ExternalIdentityRepository,
  GroupRepository,
  LoginFlowRepository,
  PersistenceModule,
  PasskeyRepository,
  SecondFactorRepository,
  ScimClientRepository,
  ScimProvisioning,
  ScimResourceRepository,
  ThrottleRepository,
  IssuerSignOuts,
} from '#persistence';
import { CachedPolicy, SettingsModule } from '#settings';
import { AccountEnds } from './account-end/account-ends';
import { AccountDirectory } from './account-directory';
import { AccountGuard } from './account.guard';
import { AppPasswordVerifier } from './app-passwords/app-password-verifier';
import { AppPasswords } from './app-passwords/app-passwords';
import { CallLimits } from './call-limits';
import { SourceAccounts } from './directories/source-accounts';
import { SourceGroups } from './directories/source-groups';
import { DownloadGuard } from './download.guard';
import { LdapPasswords } from './ldap/ldap-passwords';
import { LinkPasswords } from './link-passwords';
import { LoginFlows } from './login-flow/login-flows';
import { LoginThrottle } from './login-throttle';
import { BearerTokens } from './oidc/bearer-tokens';
import { IssuerLogouts } from './oidc/issuer-logouts';
import { IssuerSignIns } from './oidc/issuer-sign-ins';
import { OidcAccounts } from './oidc/oidc-accounts';
import { TrustedIssuer } from './oidc/trusted-issuer';
import { PasswordHasher } from './password-hasher';
import { Passkeys } from './second-factor/passkeys';
import { PendingSignIns } from './second-factor/pending-sign-ins';
import { SecondFactors } from './second-factor/second-factors';
import { ShareAccessTokens } from './share-access-tokens';
import { ScimClients } from './scim/scim-clients';
import { ScimGroups } from './scim/scim-groups';
import { ScimUsers } from './scim/scim-users';
import { BrowserSessions } from './sessions/browser-sessions';
import { LastLogins } from './sign-in/last-logins';
import { MainPasswords } from './sign-in/main-passwords';
import { StandingSignIns } from './sign-in/standing-sign-ins';
import { RequestAuthenticator } from './sign-in/request-authenticator';
import { SignedAddresses } from './signed-addresses';
import { POLICY, UserAccounts } from './user-accounts';
import { UserGroups } from './user-groups';

/** Accounts, groups and authentication, with one credential cache per process. */
@Global()
@Module({
  imports: [PersistenceModule, SettingsModule],
  providers: [
    AccountRepository,
    AccountStateRepository,
    AccountEndRepository,
    {
      provide: AccountEndSteps,
      inject: [Database],
      useFactory: (database: Database) => new AccountEndSteps(database),
    },
    AccountEnds,
    AppPasswordRepository,
    BrowserSessionRepository,
    IssuerSignOuts,
    GroupRepository,
    ExternalGroupRepository,
    ExternalIdentityRepository,
    LoginFlowRepository,
    ThrottleRepository,
    CallBudgetRepository,
    AccountDirectory,
    PasswordHasher,
    LoginThrottle,
    LinkPasswords,
    CallLimits,
    ShareAccessTokens,
    LastLogins,
    LdapPasswords,
    MainPasswords,
    AppPasswordVerifier,
    AppPasswords,
    LoginFlows,
    TrustedIssuer,
    OidcAccounts,
    BearerTokens,
    IssuerSignIns,
    IssuerLogouts,
    RequestAuthenticator,
    StandingSignIns,
    BrowserSessions,
    PasskeyRepository,
    Passkeys,
    SecondFactorRepository,
    SecondFactors,
    PendingSignIns,
    AccountGuard,
    SignedAddresses,
    DownloadGuard,
    { provide: POLICY, useExisting: CachedPolicy },
    UserAccounts,
    UserGroups,
    SourceAccounts,
    SourceGroups,
    ScimClientRepository,
    ScimProvisioning,
    ScimResourceRepository,
    ScimClients,
    ScimGroups,
    ScimUsers,
  ],
  exports: [
    Passkeys,
    SecondFactors,
    PendingSignIns,
    TrustedIssuer,
    IssuerSignIns,
    IssuerLogouts,
    AccountDirectory,
    AccountEnds,
    LinkPasswords,
    CallLimits,
    ShareAccessTokens,
    PasswordHasher,
    MainPasswords,
    AppPasswords,
    LoginFlows,
    RequestAuthenticator,
    StandingSignIns,
    BrowserSessions,
    AccountGuard,
    SignedAddresses,
    DownloadGuard,
    UserAccounts,
    UserGroups,
    SourceAccounts,
    SourceGroups,
    ScimClients,
    ScimGroups,
    ScimUsers,
  ],
})
export class IdentityModule {}
