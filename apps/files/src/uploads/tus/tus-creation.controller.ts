import { randomUUID } from 'node:crypto';
import { Controller, Inject, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope } from '#identity';
import { announcesBody, CONFIG, type Config } from '#platform';
import {
  DavFailure,
  NodeTree,
  parseSize,
  parsePath,
  UnfinishedUploads,
  type NodePath,
  type UnfinishedUpload,
} from '#storage';
import { callOf, headerOf, publicUrlOf, type DavCall } from '../../dav/dav-call';
import { created, type DavReply } from '../../dav/dav-reply';
import { DAV_ROUTES } from '../../dav/dav-routes';
import { TusAccessGuard } from './tus-access.guard';
import { addressOfUpload } from './tus-address';
import { parseConcat, parseUploadChecksum } from './tus-headers';
import { senderOf } from '../upload-sender';
import { putOptions, uploadFieldsOf, TusUploads } from './tus-uploads';

/** Begins a TUS upload: POST to the file's future folder, with the file's name in `Upload-Metadata`. */
@Controller()
@RequireScope('files')
@UseGuards(TusAccessGuard)
export class TusCreationController {
  constructor(
    private readonly uploads: UnfinishedUploads,
    private readonly tus: TusUploads,
    private readonly tree: NodeTree,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Post(DAV_ROUTES)
  async create(@Req() request: FastifyRequest): Promise<DavReply> {
    const call = callOf(request);
    const concat = parseConcat(headerOf(request, 'upload-concat'));
    parseUploadChecksum(headerOf(request, 'upload-checksum'));
    const upload = Array.isArray(concat)
      ? await this.join(call, request, concat as readonly string[])
      : await this.begin(call, request, concat === 'partial');
    // Some clients understand only absolute addresses.
    const location = {
      location: publicUrlOf(request, this.config) + addressOfUpload(call.base, upload.name),
    };
    const sendsBytes = !Array.isArray(concat) && announcesBody(request.raw);
    const state = sendsBytes
      ? await this.tus.append(call, upload, request, 0)
      : await this.tus.settle(call, upload);
    return created({ ...location, ...state });
  }

  private async begin(call: DavCall, request: FastifyRequest, isPartial: boolean): Promise<UnfinishedUpload> {
    const totalSize = parseSize(headerOf(request, 'upload-length'));
    if (totalSize === undefined) throw new DavFailure('bad-request', 'Upload-Length is missing');
    const { fileName, ...told } = uploadFieldsOf(request);
    const target = isPartial ? undefined : await this.targetOf(call, fileName);
    const kind = isPartial ? 'tus-partial' : 'tus';
    const [name, sender, view] = [randomUUID(), senderOf(call), call.view];
    const begun = {
      kind,
      name,
      sender,
      view,
      totalSize,
      told,
      ...(target === undefined ? {} : { target }),
    } as const;
    return (await this.uploads.begin(begun, putOptions(call, told)))!;
  }

  private async join(
    call: DavCall,
    request: FastifyRequest,
    names: readonly string[],
  ): Promise<UnfinishedUpload> {
    const { fileName, ...said } = uploadFieldsOf(request);
    const told = { ...said, joins: headerOf(request, 'upload-concat') };
    const target = await this.targetOf(call, fileName);
    const [name, sender, view] = [randomUUID(), senderOf(call), call.view];
    const whole = { kind: 'tus', name, sender, view, totalSize: 0, told, target } as const;
    return this.uploads.join(sender, names, whole, putOptions(call, told));
  }

  private async targetOf({ view, path }: DavCall, fileName: string | undefined): Promise<NodePath> {
    if (fileName === undefined) throw new DavFailure('bad-request', 'Upload-Metadata has no filename');
    return this.tree.spell(view, parsePath(`${path}/${fileName}`));
  }
}
