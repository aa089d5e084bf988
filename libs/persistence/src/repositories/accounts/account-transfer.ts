import { createHash, randomBytes } from 'node:crypto';
import { FOLDER_MIMETYPE, MAX_PATH_BYTES, numberedName, type NodeKind } from '#sharing';
import type { Transaction } from '../../database';
import { NodeRepository } from '../files/node.repository';
import { NodeWriteRepository } from '../files/node-write.repository';
import { VersionRepository } from '../files/version.repository';
import * as sql from './account-transfer-statements';

/** Below a folder with a path of at most a quarter, every branch has room that begins behind the half of its own path. */
const MAX_FOLDER_BYTES = MAX_PATH_BYTES / 4;
const MAX_KEPT_BYTES = MAX_PATH_BYTES / 2;

/** A transfer under way. */
export interface Transfer {
  readonly uid: string;
  readonly successorUid: string;
  /** Folder of the transfer; null: none yet. */
  readonly folderId: number | null;
}

interface Folder {
  readonly id: number;
  readonly path: string;
}

/**
 * Moves the next entry of an account's root into a folder of its successor. One statement moves everything below it, so that
 * no recipient of a share sees half of it. Ids and shares stay. Of an entry whose paths would be too long there, the branches
 * that do not fit are moved first, each as an entry of its own.
 * @returns false if nothing is left to move
 */
export async function transferNext(transaction: Transaction, transfer: Transfer): Promise<boolean> {
  const { uid, successorUid } = transfer;
  const nodes = new NodeRepository(transaction);
  const writes = new NodeWriteRepository(transaction);
  const from = await nodes.storageOf(uid);
  if (from === undefined) return false;
  await nodes.makeStorage(successorUid);
  const storageId = (await nodes.storageOf(successorUid))!;
  await writes.lockStorages([from, storageId]);
  const [root] = await transaction.rows(sql.HOME_ROOT, { storageId: from });
  const [top] = root ? await transaction.rows(sql.NEXT_ENTRY, { folderId: root.id }) : [];
  if (!top) return false;
  const folder = await folderFor(transaction, transfer, storageId);
  const entry = (await longBranch(transaction, from, top, await placeIn(folder, top, nodes))) ?? top;
  const { mimetype } = entry;
  const place = await placeIn(folder, entry, nodes);
  const target = { storageId, ownerUid: successorUid, parentId: folder.id, ...place, mimetype };
  const kept = await writes.conditionsToKeep(entry.id);
  await writes.moveSubtree(entry.id, target);
  await transaction.rows(sql.INITIATE, { nodeId: entry.id, fromUid: uid, toUid: successorUid });
  await writes.giveSharesOfSubtree(entry.id, successorUid);
  await new VersionRepository(transaction).countTo(entry.id, from, storageId);
  await writes.settleReshares(target, kept);
  await writes.propagate(entry.parentId!, -entry.size, newEtag(), new Date());
  await writes.propagate(folder.id, entry.size, newEtag(), new Date());
  return true;
}

interface EntryPlace {
  readonly name: string;
  readonly path: string;
}

async function placeIn(folder: Folder, entry: sql.Entry, nodes: NodeRepository): Promise<EntryPlace> {
  const isTaken = async (one: string) => (await nodes.takenNames(folder.id, [one])).size > 0;
  const name = await freeName(entry.name, entry.kind, isTaken);
  return { name, path: `${folder.path}/${name}` };
}

/** A branch of an entry of which a path would be too long at the new place. */
async function longBranch(
  transaction: Transaction,
  storageId: number,
  entry: sql.Entry,
  place: EntryPlace,
): Promise<sql.Entry | undefined> {
  const { path } = entry;
  const maxBytes = MAX_PATH_BYTES - Buffer.byteLength(place.path) + Buffer.byteLength(path);
  const branch = { storageId, path, maxBytes, keptBytes: MAX_KEPT_BYTES };
  return (await transaction.rows(sql.LONG_BRANCH, branch))[0];
}

async function folderFor(
  transaction: Transaction,
  { uid, successorUid, folderId }: Transfer,
  storageId: number,
): Promise<Folder> {
  if (folderId !== null) {
    const [found] = await transaction.rows(sql.FOLDER, { folderId, storageId, maxBytes: MAX_FOLDER_BYTES });
    if (found) return found;
  }
  const made = await makeFolder(transaction, successorUid, storageId);
  await transaction.rows(sql.NOTE_FOLDER, { uid, folderId: made.id });
  return made;
}

/** Its name contains the day, but not the former owner, who must leave no trace. */
async function makeFolder(transaction: Transaction, ownerUid: string, storageId: number): Promise<Folder> {
  const nodes = new NodeRepository(transaction);
  const writes = new NodeWriteRepository(transaction);
  const root = (await transaction.rows(sql.HOME_ROOT, { storageId }))[0]!;
  const at = new Date();
  const name = await freeName(`Transferred files ${at.toISOString().slice(0, 10)}`, 'folder', async (one) => {
    const place = await nodes.place(ownerUid, `/${one}`);
    return place?.node !== null || place.mountTarget !== null;
  });
  const path = `/${name}`;
  const folder = await writes.insert({
    ...{ storageId, parentId: root.id, ownerUid, name, path, kind: 'folder', mimetype: FOLDER_MIMETYPE },
    ...{ size: 0, mtime: at, etag: newEtag(), blobKey: null, checksum: null },
    ...{ author: null, throughShare: null },
  });
  await writes.propagate(root.id, 0, newEtag(), at);
  return { id: folder.id, path };
}

/** `name`, or `name` with a number if it is taken. */
async function freeName(
  name: string,
  kind: NodeKind,
  isTaken: (name: string) => Promise<boolean>,
): Promise<string> {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : numberedName(name, number, kind);
    if (!(await isTaken(candidate))) return candidate;
  }
}

const newEtag = (): string => createHash('md5').update(randomBytes(16)).digest('hex');
