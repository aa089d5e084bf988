import { Inject, Injectable } from '@nestjs/common';
import { Database, ShareWatchRepository, type ClaimedProbe } from '#persistence';
import { recordProbe, REMOTE_FILES, RemoteFailure, ROOT, type NodePath, type RemoteFiles } from '#storage';
import { PROBE_MS } from './probe-limits';

/** So many folders of one share are read again at most, those first that somebody read last. */
const FOLDERS_AT_MOST = 20;

/** Reads folders of a mounted share again whose content is known and has changed since. */
@Injectable()
export class FolderRefresh {
  constructor(
    private readonly database: Database,
    private readonly watch: ShareWatchRepository,
    @Inject(REMOTE_FILES) private readonly files: RemoteFiles,
  ) {}

  /**
   * From the root downwards, into folders only whose own state is another one than before. What fails here says
   * nothing about the share, and is read when somebody asks for it.
   */
  async run(share: ClaimedProbe): Promise<void> {
    const listed = await this.watch.listedFolders(share.receivedShareId, FOLDERS_AT_MOST);
    const known = new Map(listed.map(({ path, partnerEtag }) => [path, partnerEtag]));
    const changed = known.has(ROOT) ? [ROOT] : [];
    try {
      for (const path of changed) changed.push(...(await this.read(share, path, known)));
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
    }
  }

  /** @returns the known folders in it that changed */
  private async read(
    share: ClaimedProbe,
    path: NodePath,
    known: ReadonlyMap<string, string | null>,
  ): Promise<NodePath[]> {
    const entries = await this.files.probe(share, path, 1, PROBE_MS);
    await recordProbe(this.database, share, path, 1, entries);
    const folders = entries.slice(1).filter(({ kind }) => kind === 'folder');
    return folders
      .filter((one) => known.has(one.path) && known.get(one.path) !== one.etag)
      .map((one) => one.path);
  }
}
