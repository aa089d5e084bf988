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
   * @returns the file, if this request made it; undefined if chunks are missing, or another request made it
   * @throws as a PUT of the file; TreeFailure `changed-meanwhile` if another request ended the upload without a file
   */
  async put(call: DavCall, content: Readable, options: PutOptions): Promise<PutResult | undefined> {
    const chunk = readNamedChunk(call.path);
    const { announcedSize, ...ofFile } = options;
    const upload = await this.uploadOf(call, chunk, ofFile);
    // All chunks are there, and this one is sent again. To replace it would begin a slow scan anew, each time.
    const made = await this.uploads.comingFile(upload);
    if (made) {
      content.resume();
      return made;
    }
    try {
      await this.uploads.putPiece(upload, String(chunk.index), content, { view: call.view, announcedSize });
    } catch (error) {
      // The chunk was sent again, and another request ended the upload while it came.
      if (error instanceof DavFailure && error.code === 'not-found') return this.madeByAnother(call, upload);
      throw error;
    }
    return this.complete(call, upload, chunk, ofFile);
  }

  /** Makes the file when all chunks are there. If others bring chunks meanwhile, it is refused or made with these. */
  private async complete(
    call: DavCall,
    upload: UnfinishedUpload,
    { target, count }: NamedChunk,
    options: PutOptions,
  ): Promise<PutResult | undefined> {
    for (;;) {
      const { length } = await this.uploads.pieces(upload);
      const now = await this.underWay(call, upload);
      if (!now) return this.madeByAnother(call, upload);
      if (length < count) return undefined;
      try {
        return await this.uploads.publish(now, call.view, target, options);
      } catch (error) {
        const isChanged = (await this.underWay(call, upload))?.revision !== now.revision;
        if (isVerdict(error) || !isChanged) throw error;
      }
    }
  }

  /** The present state of an upload; undefined if it has ended. */
  private async underWay(
    call: DavCall,
    { id, name }: UnfinishedUpload,
  ): Promise<UnfinishedUpload | undefined> {
    const now = await this.uploads.look(senderOf(call), name);
    return now?.id === id && now.finishedNodeId === null ? now : undefined;
  }

  /** @throws TreeFailure `changed-meanwhile` if an upload that has ended became no file */
  private async madeByAnother(call: DavCall, { id, name }: UnfinishedUpload): Promise<undefined> {
    const ended = await this.uploads.look(senderOf(call), name);
    if (ended?.id !== id)
      throw new TreeFailure('changed-meanwhile', 'The upload ended without a file: send the file again');
  }

  private async uploadOf(
    call: DavCall,
    { upload: name, target }: NamedChunk,
    options: PutOptions,
  ): Promise<UnfinishedUpload> {
    const sender = senderOf(call);
    const begun = { kind: 'named-chunks', name, sender, view: call.view, target } as const;
    const known = await this.uploads.look(sender, name);
    // A chunk that comes after the end may belong to another content.
    if (known && known.finishedNodeId !== null) await this.uploads.forget(known);
    else if (known) return known;
    // Two first chunks may arrive at the same time.
    return (await this.uploads.begin(begun, options)) ?? this.uploads.find(sender, name);
  }
}

/** Whether the content itself is refused: that ends the upload, too. */
const isVerdict = (error: unknown): boolean => error instanceof TreeFailure && error.code === 'infected';
