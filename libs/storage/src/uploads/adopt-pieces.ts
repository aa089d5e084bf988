import { UploadRepository, type Queryable, type UploadRow, type UploadSender } from '#persistence';
import { badRequest } from '../webdav/dav-failure';

const DIGITS = 6;

/** Moves the parts of complete partial uploads to the one upload that joins them. @throws DavFailure `bad-request` */
export async function adoptPieces(
  transaction: Queryable,
  sender: UploadSender,
  names: readonly string[],
  { id }: Pick<UploadRow, 'id'>,
): Promise<void> {
  const uploads = new UploadRepository(transaction);
  for (const [index, name] of names.entries()) {
    const part = await uploads.find(sender, name);
    const locked = part?.kind === 'tus-partial' ? await uploads.lock(part.id) : undefined;
    if (!part || locked?.receivedBytes !== part.totalSize)
      throw badRequest('Only partial uploads that are whole can be put together');
    await uploads.adopt(id, part.id, `${String(index).padStart(DIGITS, '0')}.`);
  }
}
