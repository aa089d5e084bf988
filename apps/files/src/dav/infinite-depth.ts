import type { SharingPolicy } from '#sharing';
import { DavFailure } from '#storage';

/** Maximum of entries of a listing with `Depth: infinity`: the reply is written while it is sent, but its nodes are held. */
const MAX_INFINITE = 10_000;

/**
 * Lists everything below a folder, if the setting allows it.
 * @param read reads at most this number of entries
 * @throws DavFailure `finite-depth`
 */
export async function listInfinitely<Entry>(
  policy: SharingPolicy,
  read: (limit: number) => Promise<readonly Entry[]>,
): Promise<readonly Entry[]> {
  if (!policy.depthInfinity) throw new DavFailure('finite-depth', 'Depth infinity is not allowed here');
  const found = await read(MAX_INFINITE + 1);
  if (found.length > MAX_INFINITE)
    throw new DavFailure('finite-depth', `Depth infinity lists ${MAX_INFINITE} entries at most`);
  return found;
}
