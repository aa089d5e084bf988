import { Controller, Delete, Head, Options, Patch, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope } from '#identity';
import {
  DavFailure,
  nameOf,
  parentOf,
  parseSize,
  ROOT,
  UnfinishedUploads,
  type UnfinishedUpload,
} from '#storage';
import { callOf, headerOf, type DavCall } from '../../dav/dav-call';
import { DavReply, noContent } from '../../dav/dav-reply';
import { TusAccessGuard } from './tus-access.guard';
import { TusUploads } from './tus-uploads';

const ROUTE = 'remote.php/dav/tus/*';

/** Continues TUS uploads, at the addresses from their creation. */
@Controller()
@RequireScope('files')
@UseGuards(TusAccessGuard)
export class TusUploadController {
  constructor(
    private readonly tus: TusUploads,
    private readonly uploads: UnfinishedUploads,
  ) {}

  @Options(ROUTE)
  options(): DavReply {
    return noContent();
  }

  @Head(ROUTE)
  async head(@Req() request: FastifyRequest): Promise<DavReply> {
    const { call, upload } = await this.uploadOf(request);
    return new DavReply(200, { ...(await this.tus.settle(call, upload)), 'content-length': 0 });
  }

  @Patch(ROUTE)
  async patch(@Req() request: FastifyRequest): Promise<DavReply> {
    const { call, upload } = await this.uploadOf(request);
    const offset = parseSize(headerOf(request, 'upload-offset'));
    if (offset === undefined) throw new DavFailure('bad-request', 'Upload-Offset is missing');
    if (upload.told.joins !== undefined)
      throw new DavFailure('forbidden', 'An upload that is made of others takes no bytes');
    return noContent(await this.tus.append(call, upload, request, offset));
  }

  @Delete(ROUTE)
  async delete(@Req() request: FastifyRequest): Promise<DavReply> {
    await this.uploads.abort((await this.uploadOf(request)).upload);
    return noContent();
  }

  private async uploadOf(request: FastifyRequest): Promise<{ call: DavCall; upload: UnfinishedUpload }> {
    const call = callOf(request);
    if (parentOf(call.path) !== ROOT) throw new DavFailure('not-found', 'There is no such upload (any more)');
    return { call, upload: await this.tus.find(call, nameOf(call.path)) };
  }
}
