import { readDirectoryAddress } from '#federation/protocol';
import {
  ALL_KEY_NAMES,
  KEY_NAMES,
  listedKeys,
  readDirectoryKey,
  rotateSigningKey,
} from '#federation/signatures';
import { OcsFailure } from '#ocs/http';
import { DirectoryServiceRepository, SigningKeyRepository, type Database } from '#persistence';
import type { SecretBox } from '#platform';
import { assertFound, type OperatedList } from './operated-list';

/** Keys that sign messages to partners, and directory services; the command line uses the same code. */
export function listsOfTrust(database: Database, secrets: SecretBox): Readonly<Record<string, OperatedList>> {
  const keys = new SigningKeyRepository(database);
  const services = new DirectoryServiceRepository(database);
  const rotate = async (why: 'planned' | 'leaked'): Promise<void> => {
    for (const name of ALL_KEY_NAMES) {
      const made = await rotateSigningKey({ store: keys, secrets }, KEY_NAMES[name], why);
      if (!made) throw new OcsFailure(409, 'Another key was made at the same time, and this one was not');
    }
  };
  return {
    'signing-keys': {
      read: async () => listedKeys(await keys.list(), new Date()),
      actions: { 'make-new': () => rotate('planned'), 'make-new-after-leak': () => rotate('leaked') },
    },
    'directory-services': {
      read: async () =>
        (await services.list()).map(({ url, federation, servers, fetchedAt, error }) => ({
          ...{ id: url, federation, servers: servers.length, fetchedAt, error },
        })),
      actions: {
        add: async ({ id, value }) => {
          const address = readDirectoryAddress(id);
          if (address === undefined) throw new OcsFailure(400, 'id is the address of the service');
          if (!readDirectoryKey(value.trim()))
            throw new OcsFailure(
              400,
              'value is a public key in PEM that signs lists: Ed25519, P-256, or RSA of 2048 bits and more',
            );
          await services.put(address, value.trim());
        },
        remove: async ({ id }) => assertFound(await services.remove(id)),
      },
    },
  };
}
