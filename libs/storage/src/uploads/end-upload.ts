import type { UploadRepository, UploadRow } from '#persistence';
import type { PutOptions } from '../tree/put-content';
import { TreeFailure } from '../tree/tree-failure';

/** Protocols whose clients may ask, or send a part again, when the file is there. */
const REMEMBERED: ReadonlySet<UploadRow['kind']> = new Set(['tus', 'named-chunks']);

/**
 * Ends an upload with the resulting file. With some protocols a finished upload is remembered until it expires.
 * @throws TreeFailure `changed-meanwhile` if its parts have changed since they were read, or it has already ended
 */
export async function endUpload(
  uploads: UploadRepository,
  upload: NonNullable<PutOptions['upload']>,
  nodeId: number,
): Promise<void> {
  const ended = REMEMBERED.has(upload.kind)
    ? await uploads.finish(upload, nodeId)
    : await uploads.remove(upload);
  if (!ended) throw new TreeFailure('changed-meanwhile', 'The upload was changed or ended meanwhile');
}
