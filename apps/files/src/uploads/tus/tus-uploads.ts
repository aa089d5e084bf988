import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  DavFailure,
  grow,
  judgePreconditions,
  NodeProperties,
  NodeTree,
  parseChecksum,
  parseMtime,
  TreeFailure,
  UnfinishedUploads,
  type PutOptions,
  type UnfinishedUpload,
} from '#storage';
import { currentOf } from '../../dav/conditions';
import { writtenHeaders } from '../../dav/content-headers';
import { headerOf, type DavCall } from '../../dav/dav-call';
import { senderOf } from '../upload-sender';
import { parseMetadata, parseUploadChecksum } from './tus-headers';

type Headers = Readonly<Record<string, string | number | undefined>>;
const BYTES = 'application/offset+octet-stream';

/** TUS uploads of the caller. */
@Injectable()
export class TusUploads {
  constructor(
    private readonly uploads: UnfinishedUploads,
    private readonly tree: NodeTree,
    private readonly properties: NodeProperties,
  ) {}

  /** @throws DavFailure `not-found` */
  async find(call: DavCall, name: string): Promise<UnfinishedUpload> {
    const found = await this.uploads.find(senderOf(call), name);
    if (found.kind !== 'tus' && found.kind !== 'tus-partial')
      throw new DavFailure('not-found', 'There is no such upload (any more)');
    return found;
  }

  /** Appends the body of a request. @returns headers with the new state @throws as `grow` and `finish` */
  async append(
    call: DavCall,
    upload: UnfinishedUpload,
    request: FastifyRequest,
    offset: number,
  ): Promise<Headers> {
    if (headerOf(request, 'content-type') !== BYTES)
      throw new DavFailure('unsupported-media-type', `Bytes of an upload are sent as ${BYTES}`);
    const length = headerOf(request, 'content-length');
    const growth = {
      view: call.view,
      offset,
      content: request.raw,
      announcedSize: length === undefined ? undefined : Number(length),
      checksum: parseUploadChecksum(headerOf(request, 'upload-checksum')),
    };
    await grow(this.uploads, upload, growth).catch((error: unknown) => {
      const isOther = error instanceof TreeFailure && error.code === 'content-mismatch';
      throw isOther ? new DavFailure('checksum-mismatch', error.message) : error;
    });
    return this.settle(call, await this.find(call, upload.name));
  }

  /**
   * Makes a file from a complete upload. If the process died between the last bytes and this step, the next request for
   * its state does it.
   * @returns headers with its state
   */
  async settle(call: DavCall, upload: UnfinishedUpload): Promise<Headers> {
    const isWhole = upload.receivedBytes === upload.totalSize && upload.kind === 'tus';
    if (isWhole && upload.finishedNodeId === null) return this.finish(call, upload);
    const offset = upload.finishedNodeId === null ? upload.receivedBytes : (upload.totalSize ?? 0);
    return { ...(await this.stateOf(upload)), 'upload-offset': offset };
  }

  private async finish(call: DavCall, upload: UnfinishedUpload): Promise<Headers> {
    const { told, target, totalSize } = upload;
    const path = await this.tree.spell(call.view, target as DavCall['path']);
    const { node } = await this.uploads.publish(upload, call.view, path, putOptions(call, told));
    return {
      ...(await this.stateOf(upload)),
      ...(await writtenHeaders(this.properties, call, node)),
      'x-oc-mtime': told.mtime === undefined ? undefined : 'accepted',
      'upload-offset': totalSize ?? 0,
    };
  }

  private async stateOf(upload: UnfinishedUpload): Promise<Headers> {
    const { told, totalSize, kind } = upload;
    return {
      'upload-length': totalSize ?? undefined,
      'upload-metadata': told.metadata,
      'upload-concat': told.joins ?? (kind === 'tus-partial' ? 'partial' : undefined),
      'upload-expires': (await this.uploads.expiryOf(upload)).toUTCString(),
    };
  }
}

/** Options for writing the file, from the sender's announcements and present permissions. */
export function putOptions({ shared }: DavCall, told: UnfinishedUpload['told']): PutOptions {
  const { conditions = {}, mtime, checksum, autorename } = told;
  return {
    mtime: mtime === undefined ? undefined : new Date(mtime),
    checksum: parseChecksum(checksum),
    makesWay: shared !== undefined && (autorename === true || shared.isDrop),
    makesParents: shared?.isDrop,
    condition: (existing) => judgePreconditions(conditions, existing && currentOf(existing), false),
    isConditional: Object.keys(conditions).length > 0,
  };
}

/** Reads everything about the file from the headers of a creation. @throws DavFailure `bad-request` */
export function uploadFieldsOf(
  request: FastifyRequest,
): UnfinishedUpload['told'] & { readonly fileName: string | undefined } {
  const header = headerOf(request, 'upload-metadata');
  const metadata = parseMetadata(header);
  const [ifMatch, ifNoneMatch] = [headerOf(request, 'if-match'), headerOf(request, 'if-none-match')];
  // Clients of ownCloud write `SHA1 <hex>` here, but `SHA1:<hex>` in OC-Checksum.
  const checksum = headerOf(request, 'oc-checksum') ?? metadata.get('checksum')?.replace(' ', ':');
  // The metadata are about the file, while rclone's X-OC-Mtime is the time at which it began to send.
  const mtime = parseMtime(metadata.get('mtime') ?? headerOf(request, 'x-oc-mtime'))?.getTime();
  return {
    fileName: metadata.get('filename') ?? metadata.get('name'),
    ...(header === undefined ? {} : { metadata: header }),
    ...(mtime === undefined ? {} : { mtime }),
    ...(checksum === undefined ? {} : { checksum }),
    ...(headerOf(request, 'oc-autorename') === '1' ? { autorename: true } : {}),
    conditions: {
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
    },
  };
}
