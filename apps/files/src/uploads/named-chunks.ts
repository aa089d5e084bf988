import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import {
  DavFailure,
  TreeFailure,
  UnfinishedUploads,
  type PutOptions,
  type PutResult,
  type UnfinishedUpload,
} from '#storage';
import type { DavCall } from '../dav/dav-call';
import { readNamedChunk, type NamedChunk } from './named-chunk';
import { senderOf } from './upload-sender';

/** Files in chunks that are sent to the file's folder under special names. */
@Injectable()
export class NamedChunks {
  constructor(private readonly uploads: UnfinishedUploads) {}

  /**
   * Stores a chunk; the last missing one completes the file. If several requests bring the last ones at once, one of them makes the file.
   * @param options of the file; `announcedSize` is that of the chunk
   * @returns the file, if this request made it @throws as a PUT of the file
   */
  async put(call: DavCall, content: Readable, options: PutOptions): Promise<PutResult | undefined> {
    const chunk = readNamedChunk(call.path);
    const { announcedSize, ...ofFile } = options;
    const upload = await this.uploadOf(call, chunk, ofFile);
    try {
      await this.uploads.putPiece(upload, String(chunk.index), content, { view: call.view, announcedSize });
    } catch (error) {
      // The chunk was sent again, and another request ended the upload while it came.
      if (error instanceof DavFailure && error.code === 'not-found') return undefined;
      throw error;
    }
    const now = await this.uploads.look(senderOf(call), chunk.upload);
    if (!now || (await this.uploads.pieces(now)).length < chunk.count) return undefined;
    try {
      return await this.uploads.publish(now, call.view, chunk.target, ofFile);
    } catch (error) {
      if (isVerdict(error) || !(await this.isWithOthers(call, now))) throw error;
      return undefined;
    }
  }

  /** Whether another request has ended the upload, or brought a chunk since and will end it. */
  private async isWithOthers(call: DavCall, { id, name, revision }: UnfinishedUpload): Promise<boolean> {
    const present = await this.uploads.look(senderOf(call), name);
    return present?.id !== id || present.revision !== revision;
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

/** Whether the content itself is refused: that ends the upload, too. */
const isVerdict = (error: unknown): boolean => error instanceof TreeFailure && error.code === 'infected';
