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
  const { sourceAccounts } = administrationOn(database, config);
  const appPasswords: AppPasswords = appPasswordsOn(database, secrets);
  const factors = secondFactorsOn(database, secrets);
  const contacts = new ContactRepository(database);
  const invitations = new InvitationRepository(database);
  return {
    identity: {
      ofAccount: true,
      read: async (asked) => {
        if (config.OIDC_ISSUER === undefined) return [];
        const identity = await sourceAccounts.ofAccount(oidcSource(config), asked.uid);
        return identity ? [{ id: identity.subject, source: config.OIDC_ISSUER }] : [];
      },
      actions: {
        attach: async (entry) => sourceAccounts.attach(issuerOf(config), entry.value, entry.uid),
        detach: async (entry) => assertFound(await sourceAccounts.detach(issuerOf(config), entry.uid)),
      },
    },
    'app-passwords': {
      ofAccount: true,
      read: async (asked) => appPasswords.list(asked.uid),
      actions: {
        revoke: async (entry) => appPasswords.revoke(entry.uid, numberIn(entry)),
        'revoke-all': async (entry) => ({ count: await appPasswords.revokeAll(entry.uid) }),
      },
    },
    'second-factor': {
      ofAccount: true,
      read: async (asked) => {
        const { since, recoveryCodes } = await factors.state(asked.uid);
        return since ? [{ since, recoveryCodes }] : [];
      },
      actions: {
        reset: async (entry) => {
          assertFound(await factors.reset(entry.uid));
          await browserSessionsOn(database).endOthers(entry.uid, null);
        },
      },
    },
    contacts: {
      ofAccount: true,
      isPaged: true,
      read: ({ uid, after, limit }) => contacts.list(uid, after, limit),
      actions: { remove: async (entry) => assertFound(await contacts.remove(entry.uid, numberIn(entry))) },
    },
    invitations: {
      ofAccount: true,
      isPaged: true,
      read: ({ uid, after, limit }) => invitations.open(uid, after, limit),
      actions: { remove: async (entry) => assertFound(await invitations.remove(entry.uid, numberIn(entry))) },
    },
  };
}
