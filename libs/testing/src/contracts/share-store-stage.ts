import type { Day, NewLinkShare, NewRecipientShare, SharedNode, ShareStore, Tree } from '#sharing';

/** A store with its accounts and nodes, all empty at first. */
export interface ShareStoreStage {
  readonly store: ShareStore;
  readonly tree: Pick<Tree, 'placeReceived' | 'decide' | 'share'>;
  addUsers(...uids: string[]): Promise<void>;
  addGroup(gid: string, ...members: string[]): Promise<void>;
  leave(gid: string, uid: string): Promise<void>;
  removeUser(uid: string): Promise<void>;
  removeGroup(gid: string): Promise<void>;
  /** Adds `/a.txt`, or `/a/` as a folder. */
  add(ownerUid: string, path: string): Promise<SharedNode>;
  removeNode(nodeId: number): Promise<void>;
  today(): Day;
}

/** Alice with a file and a folder, and the group `team` with Bob and Carol. */
export async function usualStage(
  open: () => Promise<ShareStoreStage>,
): Promise<{ readonly stage: ShareStoreStage; readonly file: SharedNode; readonly folder: SharedNode }> {
  const stage = await open();
  await stage.addUsers('alice', 'bob', 'carol');
  await stage.addGroup('team', 'bob', 'carol');
  const file = await stage.add('alice', '/report.txt');
  return { stage, file, folder: await stage.add('alice', '/docs/') };
}

/** A share of the node from Alice to a user; `more` overrides fields. */
export const userShareOf = (
  node: SharedNode,
  recipient = 'bob',
  more: Partial<NewRecipientShare> = {},
): NewRecipientShare => ({
  type: 0,
  recipient,
  node,
  initiatorUid: 'alice',
  permissions: 19,
  fileTarget: `/${(more.node ?? node).name}`,
  expiresOn: null,
  attributes: null,
  note: null,
  initialState: 'accepted',
  ...more,
});

/** Alice's link to the node; `more` overrides fields. */
export const linkTo = (node: SharedNode, more: Partial<NewLinkShare> = {}): NewLinkShare => ({
  type: 3,
  node,
  initiatorUid: 'alice',
  permissions: 1,
  fileTarget: `/${node.name}`,
  expiresOn: null,
  attributes: null,
  note: null,
  shareToken: `token${Math.random().toString(36).slice(2).padEnd(20, '0')}`,
  passwordHash: null,
  name: null,
  ...more,
});
