import { Injectable } from '@nestjs/common';
import { BlobMissing, DavFailure, parseRange, TrashBin, type NodePath, type TrashEntry } from '#storage';
import { contentHeaders } from '../dav/content-headers';
import { DavReply } from '../dav/dav-reply';

/** Sends the content of deleted files. */
@Injectable()
export class TrashContent {
  constructor(private readonly trash: TrashBin) {}

  describe({ row }: TrashEntry): DavReply {
    return new DavReply(200, { ...headersOf(row), 'content-length': row.size });
  }

  /** @throws DavFailure `range-not-satisfiable`, `not-found` if it was removed in the meantime */
  async send(entry: TrashEntry, wantedRange: string | undefined): Promise<DavReply> {
    const { row } = entry;
    const range = parseRange(wantedRange, row.size);
    const body = await this.trash.read(entry, range).catch((error: unknown) => {
      throw error instanceof BlobMissing
        ? new DavFailure('not-found', 'The file was removed from the trash bin')
        : error;
    });
    if (!range) return new DavReply(200, { ...headersOf(row), 'content-length': row.size }, body);
    const { start, end } = range;
    const part = { 'content-range': `bytes ${start}-${end}/${row.size}`, 'content-length': end - start + 1 };
    return new DavReply(206, { ...headersOf(row), ...part }, body);
  }
}

const headersOf = (row: TrashEntry['row']): ReturnType<typeof contentHeaders> =>
  contentHeaders({ path: `/${row.name}` as NodePath, row, etag: row.etag });
