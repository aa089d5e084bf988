import type { DueShare, ShareWatchPorts, ShownEntry } from '../ports/share-watch';

const ROOT = '';
/** Maximum number of folders that are read again per share; recently read ones come first. */
const FOLDERS_AT_MOST = 20;

/**
 * Reads known folders of a mounted share again if they have changed: from the root downwards, and only into folders
 * with a new ETag. A failure here says nothing about the share: the folder is read when
 * somebody asks for it.
 */
export async function refreshFolders<Share extends DueShare, Entry extends ShownEntry>(
  { content }: Pick<ShareWatchPorts<Share, Entry>, 'content'>,
  share: Share,
): Promise<void> {
  const read = await content.readFolders(share, FOLDERS_AT_MOST);
  const known = new Map(read.map(({ path, partnerEtag }) => [path, partnerEtag]));
  const changed = known.has(ROOT) ? [ROOT] : [];
  for (const path of changed) {
    const showing = await content.show(share, path, 1);
    if (showing.kind !== 'shown') return;
    const { entries } = showing;
    await content.record(share, path, 1, entries);
    const folders = entries.slice(1).filter(({ kind }) => kind === 'folder');
    for (const one of folders) {
      const etag = known.get(one.path);
      if (etag !== undefined && etag !== one.etag) changed.push(one.path);
    }
  }
}
