import type { UploadRepository } from '#persistence';
import type { PutOptions } from '../tree/put-content';
import { TreeFailure } from '../tree/tree-failure';

/**
 * Ends an upload with the file that it became. Clients of TUS ask once more how far it got, so that one is remembered
 * until it expires.
 * @throws TreeFailure `changed-meanwhile` when its pieces are not those that were read, or it has ended before
 */
export async function endUpload(
  uploads: UploadRepository,
  upload: NonNullable<PutOptions['upload']>,
  nodeId: number,
): Promise<void> {
  const ended = upload.kind === 'tus' ? await uploads.finish(upload, nodeId) : await uploads.remove(upload);
  if (!ended) throw new TreeFailure('changed-meanwhile', 'The upload was changed or ended meanwhile');
}
