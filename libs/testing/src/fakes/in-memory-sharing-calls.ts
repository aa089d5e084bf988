import {
  createShare,
  SharingFailed,
  type Compatibility,
  type CreateShareCommand,
  type ListSharesCommand,
  type SharingFailure,
  type SharingPorts,
  type UpdateShareCommand,
} from '#sharing';
import { InMemorySharing } from './in-memory-sharing';
import { inMemoryPorts } from './in-memory-sharing-ports';
import { InMemoryTree } from './in-memory-sharing-tree';

const NOTHING_ASKED: CreateShareCommand = {
  path: undefined,
  shareType: -1,
  shareWith: undefined,
  permissions: undefined,
  expireDate: undefined,
  attributes: undefined,
  note: undefined,
  publicUpload: undefined,
  password: undefined,
  name: undefined,
};

/** A request for a share, with only the given members. */
export function createCommand(given: Partial<CreateShareCommand>): CreateShareCommand {
  return { ...NOTHING_ASKED, ...given };
}

/** An update with only the given members, and their number as its number of arguments. */
export function updateCommand(id: number, given: Partial<UpdateShareCommand> = {}): UpdateShareCommand {
  return {
    ...NOTHING_ASKED,
    id,
    argumentCount: Object.keys(given).filter((name) => name !== 'attributes' && name !== 'note').length,
    ...given,
  };
}

/** A list request, with only the given members. */
export function listCommand(given: Partial<ListSharesCommand> = {}): ListSharesCommand {
  const silent = { path: undefined, state: undefined, shareTypes: undefined, page: undefined };
  return { sharedWithMe: false, reshares: false, subfiles: false, ...silent, ...given };
}

/** Refusal of a call; `done` if it succeeded. Unexpected errors are thrown. */
export async function outcomeOf(call: Promise<unknown>): Promise<SharingFailure | 'done'> {
  try {
    await call;
    return 'done';
  } catch (error) {
    if (error instanceof SharingFailed) return error.failure;
    throw error;
  }
}

/** A world in memory with its ports, and short forms of common setups. */
export class SharingScene {
  readonly world = new InMemorySharing();
  readonly ports: SharingPorts;
  readonly tree = new InMemoryTree(this.world);

  constructor(compatibility: Compatibility = 'documented') {
    this.ports = inMemoryPorts(this.world, compatibility);
  }

  set(name: string, value: string): void {
    this.world.settings.set(name, value);
  }

  /** Shares as `uid`, and places the share in the recipients' trees. @returns the share's id */
  async share(uid: string, given: Partial<CreateShareCommand>): Promise<number> {
    const { share } = await createShare(
      this.ports,
      this.world.caller(uid),
      createCommand({ shareType: 0, ...given }),
    );
    for (const recipient of this.world.users.keys()) await this.tree.placeReceived(recipient);
    return share.id;
  }
}

/** Alice with `/docs/` and `/a.txt`, Carol, and the group `team` with Bob and Dave. */
export function usualScene(compatibility: Compatibility = 'owncloud10'): SharingScene {
  const scene = new SharingScene(compatibility);
  scene.world.addUsers('alice', 'bob', 'carol', 'dave');
  scene.world.addGroup('team', 'bob', 'dave');
  scene.world.add('alice', '/docs/');
  scene.world.add('alice', '/a.txt');
  return scene;
}
