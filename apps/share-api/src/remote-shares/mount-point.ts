import { ReceivedSharePlaceRepository, type Queryable } from '#persistence';
import { numberedName, parsePath, TreeFailure } from '#storage';

/** Numbers tried in one look at the tree, once the bare name was found taken. */
const NUMBERS_AT_ONCE = 20;

/**
 * Finds a free path for a received share in its recipient's tree: in `shareFolder` where that is a folder of his own,
 * else in the root; `report.txt`, then `report (2).txt`. The tree stays locked until the transaction ends.
 */
export async function freeMountPoint(
  transaction: Queryable,
  uid: string,
  shareFolder: string,
  name: string,
): Promise<string> {
  const places = new ReceivedSharePlaceRepository(transaction);
  await places.lockTree(uid);
  const wished = folderOf(shareFolder);
  const folder = wished !== '' && (await places.isOwnFolder(uid, wished)) ? wished : '';
  for (let first = 1, count = 1; ; first += count, count = NUMBERS_AT_ONCE) {
    const candidates = Array.from({ length: count }, (_, index) => first + index).map(
      (number) => `${folder}/${number === 1 ? name : numberedName(name, number)}`,
    );
    const occupied = await places.occupied(uid, candidates);
    const free = candidates.find((candidate) => !occupied.has(candidate));
    if (free !== undefined) return free;
  }
}

/** The root where no path can be made of it, so that no setting locks a user out. */
function folderOf(shareFolder: string): string {
  try {
    return parsePath(shareFolder);
  } catch (error) {
    if (error instanceof TreeFailure) return '';
    throw error;
  }
}
