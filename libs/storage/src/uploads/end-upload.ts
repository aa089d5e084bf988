import type { UploadRepository } from '#persistence';
import type { PutOptions } from '../tree/put-content';
import { TreeFailure } from '../tree/tree-failure';

/**
 * Ends an upload with the resulting file. Clients of TUS ask once more for the state, so a finished upload is remembered
 * until it expires.
 * @throws TreeFailure `changed-meanwhile` if its parts have changed since they were read, or it has already ended
 */
export async function endUpload(
  uploads: UploadRepository,
  upload: NonNullable<PutOptions['upload']>,
  nodeId: number,
): Promise<void> {
  const ended = upload.kind === 'tus' ? await uploads.finish(upload, nodeId) : await uploads.remove(upload);
  if (!ended) throw new TreeFailure('changed-meanwhile', 'The upload was changed or ended meanwhile');
}
