import {
  administrationOn,
  appPasswordsOn,
  browserSessionsOn,
  secondFactorsOn,
  type AppPasswords,
} from '#identity';
import { ContactRepository, InvitationRepository, type Database } from '#persistence';
import type { Config, SecretBox } from '#platform';
import { assertFound, numberIn, type OperatedList } from './operated-list';

/** Lists of one account that operators can read and change. The command line uses the same code. */
export function listsOfAccounts(
  database: Database,
  secrets: SecretBox,
  config: Config,
): Readonly<Record<string, OperatedList>> {
  const { users } = administrationOn(database, config);
  const appPasswords: AppPasswords = appPasswordsOn(database, secrets);
  const factors = secondFactorsOn(database, secrets);
  const contacts = new ContactRepository(database);
  const invitations = new InvitationRepository(database);
  /** The account in its own spelling. @throws ProvisioningFailed */
  const known = async ({ uid }: { readonly uid: string }): Promise<string> => (await users.get(uid)).uid;
  return {
    'app-passwords': {
      ofAccount: true,
      read: async (asked) => appPasswords.list(await known(asked)),
      actions: {
        revoke: async (entry) => appPasswords.revoke(await known(entry), numberIn(entry)),
        'revoke-all': async (entry) => ({ count: await appPasswords.revokeAll(await known(entry)) }),
      },
    },
    'second-factor': {
      ofAccount: true,
      read: async (asked) => {
        const { since, recoveryCodes } = await factors.state(await known(asked));
        return since ? [{ since, recoveryCodes }] : [];
      },
      actions: {
        reset: async (entry) => {
          const uid = await known(entry);
          assertFound(await factors.reset(uid));
          await browserSessionsOn(database).endOthers(uid, null);
        },
      },
    },
    contacts: {
      ofAccount: true,
      read: ({ uid, after, limit }) => contacts.list(uid, after, limit),
      actions: { remove: async (entry) => assertFound(await contacts.remove(entry.uid, numberIn(entry))) },
    },
    invitations: {
      ofAccount: true,
      read: ({ uid, after, limit }) => invitations.open(uid, after, limit),
      actions: { remove: async (entry) => assertFound(await invitations.remove(entry.uid, numberIn(entry))) },
    },
  };
}
