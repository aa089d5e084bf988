import { Global, Module } from '@nestjs/common';
import { AccountRepository, GroupRepository, PersistenceModule, ThrottleRepository } from '#persistence';
import { AccountDirectory } from './account-directory';
import { BasicAuthGuard } from './basic-auth.guard';
import { BasicAuthenticator } from './basic-authenticator';
import { LinkPasswords } from './link-passwords';
import { LoginThrottle } from './login-throttle';
import { PasswordHasher } from './password-hasher';
import { UserAccounts } from './user-accounts';
import { UserGroups } from './user-groups';

/** Accounts, groups and authentication; one credential cache in a process. */
@Global()
@Module({
  imports: [PersistenceModule],
  providers: [
    AccountRepository,
    GroupRepository,
    ThrottleRepository,
    AccountDirectory,
    PasswordHasher,
    LoginThrottle,
    LinkPasswords,
    BasicAuthenticator,
    BasicAuthGuard,
    UserAccounts,
    UserGroups,
  ],
  exports: [
    AccountDirectory,
    LinkPasswords,
    PasswordHasher,
    BasicAuthenticator,
    BasicAuthGuard,
    UserAccounts,
    UserGroups,
  ],
})
export class IdentityModule {}
