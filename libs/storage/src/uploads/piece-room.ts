import type { Queryable, UploadPart, UploadRow } from '#persistence';
import { roomIn } from '../tree/room';

/** Bytes that a part may have. The file and the part that it replaces make room for it. */
export async function roomForPiece(
  database: Queryable,
  { storageId, replacesBytes }: UploadRow,
  replaced: UploadPart | undefined,
): Promise<number> {
  const { balance } = await roomIn(database, storageId);
  return balance + replacesBytes + (replaced?.size ?? 0);
}
