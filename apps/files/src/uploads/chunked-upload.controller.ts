import { Controller, Delete, Mkcol, Move, Options, Propfind, Put, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope } from '#identity';
import {
  DavFailure,
  judgePreconditions,
  NodeProperties,
  NodeTree,
  parseChecksum,
  parseDestination,
  parseListingDepth,
  parseMtime,
  parsePropfind,
  parseSize,
  TreeMover,
  UnfinishedUploads,
  userView,
  type NodePath,
  type UnfinishedUpload,
} from '#storage';
import { currentOf } from '../dav/conditions';
import { writtenHeaders } from '../dav/content-headers';
import { headerOf, isOwnTree, readXmlBody } from '../dav/dav-call';
import { created, DavReply, multistatus, noContent } from '../dav/dav-reply';
import { BackgroundMoves } from '../jobs/background-moves';
import { lockTokensOf } from '../dav/if-conditions';
import { conditionsAboutDestination } from './destination-conditions';
import { UploadAccessGuard } from './upload-access.guard';
import { uploadCallOf, WHOLE_FILE, type UploadCall } from './upload-call';
import { describeUpload, type ListedUpload } from './upload-listing';

const ROUTES = ['remote.php/dav/uploads', 'remote.php/dav/uploads/*'];
const METHODS = 'OPTIONS, PROPFIND, MKCOL, PUT, MOVE, DELETE';
/** Names of parts if the place was named at the beginning. */
const NUMBERED = /^0*([1-9]\d{0,3}|10000)$/;

/** Files in chunks, as ownCloud's and Nextcloud's clients send them: MKCOL, PUT of each chunk, MOVE of `.file`. */
@Controller()
@RequireScope('files')
@UseGuards(UploadAccessGuard)
export class ChunkedUploadController {
  constructor(
    private readonly uploads: UnfinishedUploads,
    private readonly tree: NodeTree,
    private readonly properties: NodeProperties,
    private readonly mover: TreeMover,
    private readonly background: BackgroundMoves,
  ) {}

  @Options(ROUTES)
  options(): DavReply {
    return new DavReply(200, { dav: '1, 3', allow: METHODS, 'content-length': 0 });
  }

  @Propfind(ROUTES)
  async propfind(@Req() request: FastifyRequest): Promise<DavReply> {
    const call = uploadCallOf(request);
    const depth = parseListingDepth(headerOf(request, 'depth'));
    const wanted = parsePropfind(await readXmlBody(request));
    const listed = await this.list(call, depth === 0 ? 0 : 1);
    return multistatus(listed.map((each) => describeUpload(each, wanted)));
  }

  /** With a Destination (version 2 of Nextcloud's protocol), a file that could not be written there is refused here. */
  @Mkcol(ROUTES)
  async mkcol(@Req() request: FastifyRequest): Promise<DavReply> {
    const { uid, upload, piece } = uploadCallOf(request);
    if (upload === undefined || piece !== undefined) throw notOffered();
    const hasTarget = request.headers.destination !== undefined;
    const begun = await this.uploads.begin({
      kind: 'chunks',
      name: upload,
      sender: { uid },
      view: userView(uid, lockTokensOf(request)),
      target: hasTarget ? await this.destinationOf(request, uid) : undefined,
      totalSize: parseSize(headerOf(request, 'oc-total-length')),
    });
    if (!begun) throw new DavFailure('method-not-allowed', 'The upload has begun already');
    return created();
  }

  @Put(ROUTES)
  async put(@Req() request: FastifyRequest): Promise<DavReply> {
    const { piece, ...call } = uploadCallOf(request);
    if (call.upload === undefined || piece === undefined || piece === WHOLE_FILE) throw notOffered();
    const upload = await this.uploadOf(call);
    if (upload.target !== null && !NUMBERED.test(piece))
      throw new DavFailure('bad-request', 'Chunks have the names 1 to 10000');
    const length = headerOf(request, 'content-length');
    await this.uploads.putPiece(upload, piece, request.raw, {
      view: userView(call.uid),
      announcedSize: length === undefined ? undefined : Number(length),
    });
    return created();
  }

  @Move(ROUTES)
  async move(@Req() request: FastifyRequest): Promise<DavReply> {
    const { uid, piece, ...call } = uploadCallOf(request);
    if (piece !== WHOLE_FILE) throw new DavFailure('forbidden', 'Only .file can be moved');
    const upload = await this.uploadOf({ uid, ...call });
    const target = await this.destinationOf(request, uid);
    if (upload.target !== null && upload.target !== target)
      throw new DavFailure('bad-request', 'The upload was begun for another destination');
    return this.background.answer(request, uid, {
      admit: () => this.mover.admitName(target),
      move: () => this.publish(request, uid, upload, target),
    });
  }

  @Delete(ROUTES)
  async delete(@Req() request: FastifyRequest): Promise<DavReply> {
    const { piece, ...call } = uploadCallOf(request);
    if (call.upload === undefined) throw notOffered();
    const upload = await this.uploadOf(call);
    if (piece === undefined) await this.uploads.abort(upload);
    else await this.uploads.removePiece(upload, piece);
    return noContent();
  }

  private async publish(
    request: FastifyRequest,
    uid: string,
    upload: UnfinishedUpload,
    target: NodePath,
  ): Promise<DavReply> {
    const mtime = parseMtime(headerOf(request, 'x-oc-mtime'));
    const conditions = conditionsAboutDestination(request.headers);
    const { node, created: isNew } = await this.uploads.publish(
      upload,
      userView(uid, lockTokensOf(request)),
      target,
      {
        announcedSize: parseSize(headerOf(request, 'oc-total-length')),
        mtime,
        checksum: parseChecksum(headerOf(request, 'oc-checksum')),
        condition: (existing) => judgePreconditions(conditions, existing && currentOf(existing), false),
        isConditional: Object.keys(conditions).length > 0,
      },
    );
    const headers = {
      ...(await writtenHeaders(this.properties, { uid }, node)),
      'x-oc-mtime': mtime && 'accepted',
    };
    return isNew ? created(headers) : noContent(headers);
  }

  private uploadOf({ uid, upload }: Pick<UploadCall, 'uid' | 'upload'>): Promise<UnfinishedUpload> {
    return this.uploads.find({ uid }, upload!);
  }

  private async destinationOf(request: FastifyRequest, uid: string): Promise<NodePath> {
    const { tree, path } = parseDestination(headerOf(request, 'destination'));
    if (!isOwnTree(tree, uid)) throw new DavFailure('not-found', 'The destination lies in another tree');
    return this.tree.spell(userView(uid), path);
  }

  private async list({ uid, base, upload, piece }: UploadCall, depth: 0 | 1): Promise<ListedUpload[]> {
    if (upload === undefined) {
      const rows = await this.uploads.chunkedBy(uid);
      const below = rows.map((row) => uploadAt(`${base}/${encodeURIComponent(row.name)}`, row));
      return [{ address: base, size: undefined, changedAt: new Date() }, ...(depth === 1 ? below : [])];
    }
    const row = await this.uploadOf({ uid, upload });
    const pieces = await this.uploads.pieces(row);
    const listed = pieces.map(({ name, size, storedAt }) => ({ name, size, changedAt: storedAt }));
    if (piece !== undefined) {
      const found = listed.find(({ name }) => name === piece);
      if (!found) throw new DavFailure('not-found', 'There is no such chunk');
      return [{ ...found, address: base }];
    }
    const below = listed.map((each) => ({ ...each, address: `${base}/${encodeURIComponent(each.name)}` }));
    return [uploadAt(base, row), ...(depth === 1 ? below : [])];
  }
}

const uploadAt = (address: string, { touchedAt }: UnfinishedUpload): ListedUpload => ({
  address,
  size: undefined,
  changedAt: touchedAt,
});

const notOffered = (): DavFailure => new DavFailure('method-not-allowed', 'This method is not offered here');
