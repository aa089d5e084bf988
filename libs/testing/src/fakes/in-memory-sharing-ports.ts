import {
  policyFrom,
  partnerNamed,
  type Compatibility,
  type Directory,
  type RemoteRecipient,
  type SharingPorts,
} from '#sharing';
import type { InMemorySharing } from './in-memory-sharing';
import { InMemoryShareStore } from './in-memory-sharing-store';
import { InMemoryTree } from './in-memory-sharing-tree';

/** Ports of the use cases of sharing, in memory. */
export function inMemoryPorts(
  world: InMemorySharing,
  compatibility: Compatibility = 'documented',
): SharingPorts {
  return {
    shares: new InMemoryShareStore(world),
    tree: new InMemoryTree(world),
    directory: directoryOf(world),
    policy: { current: () => Promise.resolve(policyFrom(world.settings, compatibility)) },
    clock: { now: () => world.now },
    linkSecrets: {
      newToken: (length = 22) => `token${String(world.nextId()).padStart(length - 5, '0')}`,
      assertRoomForPassword: () => undefined,
      hashPassword: (password) => Promise.resolve(`hash of ${password}`),
    },
    partners: {
      recipient: recipientOf,
      standing: (_uid, { hostKey, canonical }) =>
        Promise.resolve({
          ...partnerNamed(hostKey, undefined),
          ...world.regarded.get(hostKey),
          isContact: world.contacts.has(canonical),
        }),
      verdict: () => Promise.resolve(world.verdict),
    },
    compatibility,
  };
}

/** The host of the instance with the accounts. */
export const OWN_HOST = 'here.example.org';

/** Understands `user@host` and no other spelling. */
function recipientOf(text: string): RemoteRecipient | undefined {
  const match = /^([^@]+)@([a-z0-9.:-]+)$/.exec(text);
  if (!match) return undefined;
  const [, user, hostKey] = match;
  return {
    written: text,
    canonical: text,
    hostKey: hostKey!,
    localUid: hostKey === OWN_HOST ? user : undefined,
  };
}

function directoryOf(world: InMemorySharing): Directory {
  return {
    user: (wanted) => {
      const uid = [...world.users.keys()].find((known) => known.toLowerCase() === wanted.toLowerCase());
      if (uid === undefined) return Promise.resolve(undefined);
      const { autoAccept } = world.users.get(uid)!;
      return Promise.resolve({ uid, groups: world.groupsOf(uid), autoAccept });
    },
    groupExists: (gid) => Promise.resolve(world.groups.has(gid)),
  };
}
