import { Controller, Delete, Get, Head, Move, Options, Propfind, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope } from '#identity';
import { CachedPolicy } from '#settings';
import {
  DavFailure,
  isSameUser,
  NodeProperties,
  NodeTree,
  parseDavPath,
  parseDestinationPath,
  parseListingDepth,
  parseOverwrite,
  parsePropfind,
  parseTrashAddress,
  trashEntries,
  TrashBin,
  userView,
  type MoveResult,
  type MultistatusEntry,
  type NodePath,
  type TrashEntry,
} from '#storage';
import { writtenHeaders } from '../dav/content-headers';
import { lockTokensOf } from '../dav/if-conditions';
import { headerOf, isOwnTree, readXmlBody } from '../dav/dav-call';
import { created, DavReply, multistatus, multistatusInParts, noContent } from '../dav/dav-reply';
import { listInfinitely } from '../dav/infinite-depth';
import { notYours, TrashAccessGuard, trashCallOf, type TrashCall } from './trash-access.guard';
import { TrashContent } from './trash-content';
import { shownBelow, shownCollections, shownPlace, type Shown } from './trash-href';

const TRASH_ROUTES = [
  'remote.php/dav/trash-bin',
  'remote.php/dav/trash-bin/*',
  'remote.php/dav/trashbin',
  'remote.php/dav/trashbin/*',
];
const ALLOWED = 'OPTIONS, GET, HEAD, DELETE, PROPFIND, MOVE';

/** The trash bins of users, at ownCloud's and at Nextcloud's addresses. */
@Controller()
@RequireScope('files')
@UseGuards(TrashAccessGuard)
export class TrashController {
  constructor(
    private readonly trash: TrashBin,
    private readonly content: TrashContent,
    private readonly properties: NodeProperties,
    private readonly tree: NodeTree,
    private readonly policy: CachedPolicy,
  ) {}

  @Options(TRASH_ROUTES)
  options(): DavReply {
    return new DavReply(200, { dav: '1, 3', allow: ALLOWED, 'content-length': 0 });
  }

  @Propfind(TRASH_ROUTES)
  async propfind(@Req() request: FastifyRequest): Promise<DavReply> {
    const call = trashCallOf(request);
    const depth = parseListingDepth(headerOf(request, 'depth'));
    const wanted = parsePropfind(await readXmlBody(request));
    const folder = await this.entryAt(call);
    const fileIds = await this.properties.fileIds();
    const place = shownPlace(call.address, folder);
    const answer = (shown: Iterable<Shown>) => trashEntries(shown, wanted, fileIds);
    if (depth === 0) return multistatus(answer([place]));
    const collections = shownCollections(call.address);
    if (depth === 1) return multistatusInParts(this.parts(call, folder, [place], collections, answer));
    const below = shownBelow(call.address, await this.everythingBelow(call, folder));
    return multistatus(answer([place, ...below, ...collections]));
  }

  // Declared before GET: otherwise Fastify would derive a HEAD from GET, which opens the content.
  @Head(TRASH_ROUTES)
  async head(@Req() request: FastifyRequest): Promise<DavReply> {
    return this.content.describe(await this.fileAt(trashCallOf(request)));
  }

  @Get(TRASH_ROUTES)
  async get(@Req() request: FastifyRequest): Promise<DavReply> {
    return this.content.send(await this.fileAt(trashCallOf(request)), headerOf(request, 'range'));
  }

  @Move(TRASH_ROUTES)
  async move(@Req() request: FastifyRequest): Promise<DavReply> {
    const call = trashCallOf(request);
    const to = readRestoreTarget(headerOf(request, 'destination'), call.uid);
    const overwrite = parseOverwrite(headerOf(request, 'overwrite'));
    const entry = await this.nodeAt(call);
    const view = userView(call.uid, lockTokensOf(request));
    const result =
      to === 'origin'
        ? await this.trash.restoreToOrigin(view, entry)
        : await this.trash.restore(view, entry.row.id, await this.tree.spell(view, to), overwrite);
    return this.answer(call, result);
  }

  @Delete(TRASH_ROUTES)
  async delete(@Req() request: FastifyRequest): Promise<DavReply> {
    const call = trashCallOf(request);
    const entry = await this.entryAt(call);
    if (entry) await this.trash.remove(call.uid, entry.row.id);
    else if (call.address.form === 'ids' || call.address.collection === 'trash')
      await this.trash.empty(call.uid);
    else throw new DavFailure('forbidden', 'This collection cannot be removed');
    return noContent();
  }

  private async answer({ uid }: TrashCall, { replaced, node }: MoveResult): Promise<DavReply> {
    const headers = node && (await writtenHeaders(this.properties, { uid }, node));
    return replaced ? noContent(headers) : created(headers);
  }

  /** A listing of direct entries, which is sent while it is read. */
  private async *parts(
    { uid, address }: TrashCall,
    folder: TrashEntry | undefined,
    before: Shown[],
    after: Shown[],
    answer: (shown: Iterable<Shown>) => Iterable<MultistatusEntry>,
  ): AsyncGenerator<Iterable<MultistatusEntry>> {
    yield answer(before);
    const holdsTops = address.form === 'ids' || address.collection === 'trash';
    if (folder || holdsTops)
      for await (const entries of folder ? this.trash.entries(uid, folder) : this.trash.tops(uid))
        yield answer(shownBelow(address, entries));
    yield answer(after);
  }

  private async everythingBelow(
    { uid, address }: TrashCall,
    folder: TrashEntry | undefined,
  ): Promise<readonly TrashEntry[]> {
    const holdsTops = address.form === 'ids' || address.collection === 'trash';
    return listInfinitely(await this.policy.current(), async (limit) => {
      if (folder) return this.trash.below(uid, folder, limit);
      const tops = holdsTops ? await this.trash.list(uid) : [];
      return tops.length === 0 ? [] : [...tops, ...(await this.trash.below(uid, undefined, limit))];
    });
  }

  /** The entry of an address; undefined for the trash bin itself and its collections. */
  private async entryAt({ uid, address }: TrashCall): Promise<TrashEntry | undefined> {
    if (address.form === 'names') {
      if (address.names.length === 0) return undefined;
      if (address.collection === 'restore')
        throw new DavFailure('not-found', 'Nothing stays in this collection');
      return this.trash.findByNames(uid, address.names);
    }
    // The last id is enough; clients also send the ids of the folders above it.
    const id = address.ids.at(-1);
    return id === undefined ? undefined : this.trash.find(uid, id);
  }

  private async nodeAt(call: TrashCall): Promise<TrashEntry> {
    const entry = await this.entryAt(call);
    if (!entry) throw new DavFailure('forbidden', 'The trash bin itself stays where it is');
    return entry;
  }

  /** ownCloud serves no content from its trash bin, and its clients do not request any. */
  private async fileAt(call: TrashCall): Promise<TrashEntry> {
    const entry = await this.entryAt(call);
    if (!entry || entry.row.kind === 'folder')
      throw new DavFailure('method-not-allowed', 'A folder has no content: list it with PROPFIND');
    if (call.address.form === 'ids') throw new DavFailure('forbidden', 'Permission denied to read this file');
    return entry;
  }
}

/** Destination of a restored entry: `origin` for Nextcloud's collection with that meaning. */
function readRestoreTarget(header: string | undefined, uid: string): NodePath | 'origin' {
  const rawPath = parseDestinationPath(header);
  const address = parseTrashAddress(rawPath);
  if (!address) {
    const { tree, path } = parseDavPath(rawPath);
    if (!isOwnTree(tree, uid)) throw new DavFailure('not-found', 'The destination lies in another tree');
    return path;
  }
  if (!isSameUser(address.uid, uid)) throw notYours();
  if (address.form === 'names' && address.collection === 'restore' && address.names.length === 1)
    return 'origin';
  throw new DavFailure('forbidden', 'Nothing is moved within a trash bin');
}
