import { NodeRepository, NodeWriteRepository, type Queryable } from '#persistence';
import { newEtag } from './etag';
import { FOLDER_MIMETYPE } from '#sharing';
import { ancestorsOf, nameOf, ROOT, type NodePath } from './node-path';

/**
 * Makes a folder of the user's own storage, with all missing folders above it. The storage is locked, and the path is free of files
 * and mounts.
 */
export async function makeFolders(transaction: Queryable, uid: string, path: NodePath): Promise<void> {
  const nodes = new NodeRepository(transaction);
  const writes = new NodeWriteRepository(transaction);
  for (const folder of [...ancestorsOf(path), path]) {
    if (folder === ROOT) continue;
    const place = await nodes.place(uid, folder);
    if (!place || place.node || !place.parent) continue;
    const at = new Date();
    await writes.insert({
      storageId: place.storageId,
      parentId: place.parent.id,
      ownerUid: place.ownerUid,
      name: nameOf(folder),
      path: folder,
      kind: 'folder',
      mimetype: FOLDER_MIMETYPE,
      size: 0,
      mtime: at,
      etag: newEtag(),
      blobKey: null,
      checksum: null,
      author: null,
      throughShare: null,
    });
    await writes.propagate(place.parent.id, 0, newEtag(), at);
  }
}
