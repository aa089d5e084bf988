import { directoryStateOn, ldapSyncOn, scimClientsOn } from '#identity';
import { OcsFailure } from '#ocs/http';
import {
  AuditRepository,
  KeptFilesRepository,
  SealedSecretRepository,
  TrashExpiryRepository,
  VersionExpiryRepository,
  type Database,
} from '#persistence';
import type { Config, SecretBox } from '#platform';
import type { CapabilityRegistry } from '#settings';
import { assertFound, type OperatedList } from './operated-list';

const ALL = 1;

/** Lists of the whole instance. The command line uses the same code. */
export function listsOfInstance(
  database: Database,
  secrets: SecretBox,
  config: Config,
  capabilities: CapabilityRegistry,
): Readonly<Record<string, OperatedList>> {
  const clients = scimClientsOn(database, secrets);
  const sealed = new SealedSecretRepository(database, secrets);
  const sync = async (acceptedLoss: number | undefined): Promise<object> => {
    const reading = ldapSyncOn(database, config);
    if (!reading) throw new OcsFailure(404, 'No directory is configured');
    const { failure, heldBack, people, groups } = await reading.runFully(acceptedLoss);
    const reason = failure ?? heldBack;
    if (reason !== null) throw new OcsFailure(400, reason);
    return { people, groups };
  };
  return {
    'scim-clients': {
      read: async () =>
        (await clients.list()).map(({ name, isRevoked, createdAt, usedAt }) => ({
          id: name,
          ...{ isRevoked, createdAt, usedAt },
        })),
      actions: {
        create: async ({ id }) => {
          const token = await clients.create(id);
          if (token === undefined)
            throw new OcsFailure(400, 'It has a token already, or this is no name for a client');
          return { token };
        },
        revoke: async ({ id }) => assertFound(await clients.revoke(id)),
      },
    },
    directory: {
      read: async () => {
        const state = await directoryStateOn(database, config);
        return state ? [state] : [];
      },
      actions: { sync: () => sync(undefined), 'sync-accepting-loss': () => sync(ALL) },
    },
    secrets: {
      read: () => sealed.count(),
      actions: {
        rotate: async () => {
          const count = await sealed.sealAnew();
          const counts = await sealed.count();
          const left = counts.reduce((sum, { previous, unreadable }) => sum + previous + unreadable, 0);
          const done = { sealed: count, left };
          await new AuditRepository(database).record('encryption-key.rotate', ['encryption-key', null], done);
          return done;
        },
      },
    },
    'kept-files': keptFiles(database),
    capabilities: {
      read: async () => [...(await capabilities.list())].map(([app, entry]) => ({ id: app, entry })),
      actions: { delete: ({ id }) => capabilities.remove(id) },
    },
  };
}

/** Versions and deleted files of all accounts. */
function keptFiles(database: Database): OperatedList {
  return {
    read: async () => new KeptFilesRepository(database).figures(),
    actions: {
      'remove-outdated': async ({ id }) => {
        if (id === 'trash') return { removed: await new TrashExpiryRepository(database).removeExpired() };
        if (id === 'versions')
          return { removed: await new VersionExpiryRepository(database).removeOutdated() };
        throw new OcsFailure(404, 'There is no such entry');
      },
    },
  };
}
