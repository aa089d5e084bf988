import type { Readable } from 'node:stream';
import type { MountedShareRow } from '#persistence';
import type { RemoteFiles } from '#federation/remote-files';
import type { PutOptions } from '../tree/put-content';
import { TreeFailure } from '../tree/tree-failure';
import { pathIn, type MountedPlace } from './consulted-place';
import { VerifiedContent } from './verified-content';

/** Streams a content to its place at a partner. @throws RemoteFailure, TreeFailure `content-mismatch`, failures of `content` */
export async function transferContent(
  partner: RemoteFiles,
  share: MountedShareRow,
  place: MountedPlace,
  content: Readable,
  options: PutOptions & { readonly expects: string | null | undefined },
): Promise<{ readonly size: number; readonly etag: string | null; readonly created: boolean }> {
  const { announcedSize, mtime, expects } = options;
  // The reader of the content gets its failure; without a reader it is ignored.
  const verified = new VerifiedContent(options).on('error', () => undefined);
  // The sender still needs an answer when the partner fails, so the source is released rather than destroyed.
  const breakOff = (error?: Error): void =>
    void verified.destroy(error ?? new Error('the content was cut off'));
  const noteClose = (): void => (content.readableEnded ? undefined : breakOff());
  content.once('error', breakOff).once('close', noteClose).pipe(verified);
  if (content.destroyed) noteClose();
  try {
    const { etag, created } = await partner.write(share, pathIn(place), verified, {
      ...(announcedSize === undefined ? {} : { size: announcedSize }),
      ...(mtime === undefined ? {} : { mtime }),
      ...(expects === undefined ? {} : { expects }),
    });
    return { size: verified.size, etag, created };
  } catch (error) {
    throw verified.errored instanceof TreeFailure ? verified.errored : error;
  } finally {
    content.off('error', breakOff).off('close', noteClose).unpipe(verified);
    verified.destroy();
  }
}
