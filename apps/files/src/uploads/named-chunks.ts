import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { UnfinishedUploads, type PutOptions, type PutResult, type UnfinishedUpload } from '#storage';
import type { DavCall } from '../dav/dav-call';
import { readNamedChunk, type NamedChunk } from './named-chunk';
import { senderOf } from './upload-sender';

/** Files in chunks that are sent to the file's folder under special names. */
@Injectable()
export class NamedChunks {
  constructor(private readonly uploads: UnfinishedUploads) {}

  /**
   * Stores a chunk; the last missing one completes the file.
   * @param options of the file; `announcedSize` is that of the chunk
   * @returns the file, when all chunks are there @throws as a PUT of the file
   */
  async put(call: DavCall, content: Readable, options: PutOptions): Promise<PutResult | undefined> {
    const chunk = readNamedChunk(call.path);
    const { announcedSize, ...ofFile } = options;
    const upload = await this.uploadOf(call, chunk, ofFile);
    await this.uploads.putPiece(upload, String(chunk.index), content, { announcedSize });
    const now = await this.uploads.find(senderOf(call), chunk.upload);
    if ((await this.uploads.pieces(now)).length < chunk.count) return undefined;
    return this.uploads.publish(now, call.view, chunk.target, ofFile);
  }

  private async uploadOf(
    call: DavCall,
    { upload: name, target }: NamedChunk,
    options: PutOptions,
  ): Promise<UnfinishedUpload> {
    const sender = senderOf(call);
    const begun = { kind: 'named-chunks', name, sender, view: call.view, target } as const;
    const known = await this.uploads.look(sender, name);
    // Two first chunks may arrive at the same time.
    return known ?? (await this.uploads.begin(begun, options)) ?? this.uploads.find(sender, name);
  }
}
