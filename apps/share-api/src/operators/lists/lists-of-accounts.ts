import {
  administrationOn,
  appPasswordsOn,
  browserSessionsOn,
  oidcSource,
  secondFactorsOn,
  type AppPasswords,
} from '#identity';
import { ContactRepository, InvitationRepository, type Database } from '#persistence';
import type { Config, SecretBox } from '#platform';
import { OcsFailure } from '#ocs/http';
import { assertFound, numberIn, type OperatedList } from './operated-list';

/** @throws OcsFailure if people cannot sign in at an issuer */
function issuerOf(config: Config): ReturnType<typeof oidcSource> {
  if (config.OIDC_ISSUER === undefined) throw new OcsFailure(404, 'No issuer is configured');
  return oidcSource(config);
}

/** Lists of one account that operators can read and change. The command line uses the same code. */
export function listsOfAccounts(
  database: Database,
  secrets: SecretBox,
  config: Config,
): Readonly<Record<string, OperatedList>> {
  const { users, sourceAccounts } = administrationOn(database, config);
  const appPasswords: AppPasswords = appPasswordsOn(database, secrets);
  const factors = secondFactorsOn(database, secrets);
  const contacts = new ContactRepository(database);
  const invitations = new InvitationRepository(database);
  /** The account in its own spelling. @throws ProvisioningFailed */
  const known = async ({ uid }: { readonly uid: string }): Promise<string> => (await users.get(uid)).uid;
  return {
    identity: {
      ofAccount: true,
      read: async (asked) => {
        if (config.OIDC_ISSUER === undefined) return [];
        const identity = await sourceAccounts.ofAccount(oidcSource(config), await known(asked));
        return identity ? [{ id: identity.subject, source: config.OIDC_ISSUER }] : [];
      },
      actions: {
        attach: async (entry) => sourceAccounts.attach(issuerOf(config), entry.value, await known(entry)),
        detach: async (entry) =>
          assertFound(await sourceAccounts.detach(issuerOf(config), await known(entry))),
      },
    },
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
