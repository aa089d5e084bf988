import { Global, Module } from '@nestjs/common';
import {
  AccountRepository,
  CallBudgetRepository,
  GroupRepository,
  PersistenceModule,
  ThrottleRepository,
} from '#persistence';
import { CachedPolicy, SettingsModule } from '#settings';
import { AccountDirectory } from './account-directory';
import { BasicAuthGuard } from './basic-auth.guard';
import { BasicAuthenticator } from './basic-authenticator';
import { CallLimits } from './call-limits';
import { LinkPasswords } from './link-passwords';
import { LoginThrottle } from './login-throttle';
import { PasswordHasher } from './password-hasher';
import { ShareAccessTokens } from './share-access-tokens';
import { POLICY, UserAccounts } from './user-accounts';
import { UserGroups } from './user-groups';

/** Accounts, groups and authentication; one credential cache in a process. */
@Global()
@Module({
  imports: [PersistenceModule, SettingsModule],
  providers: [
    AccountRepository,
    GroupRepository,
    ThrottleRepository,
    CallBudgetRepository,
    AccountDirectory,
    PasswordHasher,
    LoginThrottle,
    LinkPasswords,
    CallLimits,
    ShareAccessTokens,
    BasicAuthenticator,
    BasicAuthGuard,
    { provide: POLICY, useExisting: CachedPolicy },
    UserAccounts,
    UserGroups,
  ],
  exports: [
    AccountDirectory,
    LinkPasswords,
    CallLimits,
    ShareAccessTokens,
    PasswordHasher,
    BasicAuthenticator,
    BasicAuthGuard,
    UserAccounts,
    UserGroups,
  ],
})
export class IdentityModule {}
