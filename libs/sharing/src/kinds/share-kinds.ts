import { FEDERATED_KIND } from './federated-kind';
import { GROUP_KIND } from './group-kind';
import { LINK_KIND } from './link-kind';
import { REMOTE_GROUP_KIND } from './remote-group-kind';
import type { ShareKind, ShareKinds } from './share-kind';
import { USER_KIND } from './user-kind';

export const shareKinds = (...kinds: readonly ShareKind[]): ShareKinds =>
  new Map(kinds.map((kind) => [kind.type, kind]));

/** The kinds of shares that exist. */
export const SHARE_KINDS = shareKinds(USER_KIND, GROUP_KIND, LINK_KIND, FEDERATED_KIND, REMOTE_GROUP_KIND);

/** The kind for the type of a stored or requested share. @throws Error for a type that does not exist */
export function kindOf(kinds: ShareKinds, type: number): ShareKind {
  const kind = kinds.get(type);
  if (!kind) throw new Error(`there is no share type ${type}`);
  return kind;
}
