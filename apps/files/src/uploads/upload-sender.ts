import { DavFailure } from '#storage';
import type { DavCall } from '../dav/dav-call';

/**
 * The sender whose uploads a call is about.
 * @throws DavFailure `method-not-allowed` for trees that are opened by a secret in the credentials
 */
export function senderOf({ uid, shared, tree }: DavCall): { uid: string } | { shareId: number } {
  if (uid !== undefined) return { uid };
  if (!shared || tree.of !== 'link')
    throw new DavFailure('method-not-allowed', 'Uploads in pieces are not offered here');
  return { shareId: shared.view.shareId };
}
