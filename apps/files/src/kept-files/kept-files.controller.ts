import { Controller, Get, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountDirectory } from '#identity';
import {
  DavFailure,
  FileVersions,
  NodeTree,
  parsePath,
  TrashBin,
  userView,
  type NodePath,
  type UserView,
  type VisibleNode,
} from '#storage';
import { assertAdministrator } from '../dav/assert-administrator';
import { DavReply, noContent } from '../dav/dav-reply';
import { SignedInGuard } from '../dav/signed-in.guard';

const ID = /^\d{1,15}$/;
/** Entries of one answer. */
const PAGE = 100;

interface FoundFile {
  readonly view: UserView;
  readonly path: NodePath;
  readonly node: VisibleNode;
}

/**
 * Deleted files and versions of an account, for administrators, as in the commands `drawbridge trash` and `version`;
 * contents cannot be downloaded.
 */
@Controller('remote.php/dav/kept-files/:uid')
@UseGuards(SignedInGuard)
export class KeptFilesController {
  constructor(
    private readonly accounts: AccountDirectory,
    private readonly trash: TrashBin,
    private readonly versions: FileVersions,
    private readonly tree: NodeTree,
  ) {}

  /** The newest deletion first; only those behind `after`, time and id of a deletion: `2026-01-31T10:00:00.000Z/17`. */
  @Get('trash')
  async listTrash(
    @Req() request: FastifyRequest,
    @Param('uid') uid: string,
    @Query('after') after?: string,
  ): Promise<DavReply> {
    assertAdministrator(request);
    const entries = await this.trash.list(await this.known(uid));
    return json(
      pageBehind(
        entries.map(({ row, originalPath, deletedAt, deletedBy }) => ({
          ...{ id: row.id, path: `/${originalPath}`, kind: row.kind, size: row.size, deletedAt },
          deletedBy: deletedBy.name ?? deletedBy.kind,
        })),
        ({ deletedAt }) => deletedAt,
        after,
      ),
    );
  }

  /** Restores a deletion to its former place, under another name if its name is taken. */
  @Post('trash/:id')
  async restoreTrash(
    @Req() request: FastifyRequest,
    @Param('uid') uid: string,
    @Param('id') id: string,
  ): Promise<DavReply> {
    assertAdministrator(request);
    const owner = await this.known(uid);
    await this.trash.restoreToOrigin(userView(owner), await this.trash.find(owner, idIn(id)));
    return noContent();
  }

  /** Of the file at `path`, the newest first; only those behind `after`, time and id of a version. */
  @Get('versions')
  async listVersions(
    @Req() request: FastifyRequest,
    @Param('uid') uid: string,
    @Query('path') path?: string,
    @Query('after') after?: string,
  ): Promise<DavReply> {
    assertAdministrator(request);
    const { node } = await this.fileAt(uid, path);
    const versions = await this.versions.list(node);
    return json(
      pageBehind(
        versions.map(({ id, size, mtime, author, authorKind, label, storedAt }) => ({
          ...{ id, size, mtime, storedAt, author: author ?? authorKind, label },
        })),
        ({ storedAt }) => storedAt,
        after,
      ),
    );
  }

  /** Gives the file at `path` the content of a version; its present content becomes a version. */
  @Post('versions/:id')
  async restoreVersion(
    @Req() request: FastifyRequest,
    @Param('uid') uid: string,
    @Param('id') id: string,
    @Query('path') path?: string,
  ): Promise<DavReply> {
    assertAdministrator(request);
    const file = await this.fileAt(uid, path);
    await this.versions.restore(file.view, file.path, file.node.row.id, idIn(id));
    return noContent();
  }

  private async fileAt(uid: string, path: unknown): Promise<FoundFile> {
    const view = userView(await this.known(uid));
    const asked = typeof path === 'string' ? path : '';
    const spelled = await this.tree.spell(view, parsePath(asked));
    const node = await this.tree.stat(view, spelled);
    if (node.row.kind === 'folder') throw new DavFailure('not-found', 'Folders have no versions');
    return { view, path: spelled, node };
  }

  /** The account in its own spelling. @throws DavFailure `not-found` */
  private async known(uid: string): Promise<string> {
    const account = await this.accounts.find(uid);
    if (!account) throw new DavFailure('not-found', 'There is no such account');
    return account.uid;
  }
}

/** @throws DavFailure `not-found` for an invalid id */
function idIn(text: string): number {
  if (!ID.test(text)) throw new DavFailure('not-found', 'There is no such entry');
  return Number(text);
}

/** @param after place of a row that may be gone @throws DavFailure `bad-request` */
function pageBehind<Row extends { readonly id: number }>(
  rows: readonly Row[],
  timeOf: (row: Row) => Date,
  after = '',
): Row[] {
  const places = rows.map((row) => ({ row, time: timeOf(row).getTime(), id: row.id })).sort(newestFirst);
  const from = after === '' ? undefined : placeIn(after);
  const behind = from ? places.filter((place) => newestFirst(place, from) > 0) : places;
  return behind.slice(0, PAGE).map(({ row }) => row);
}

/** Place of a row in its list. */
interface Place {
  readonly time: number;
  readonly id: number;
}

const newestFirst = (one: Place, other: Place): number => other.time - one.time || other.id - one.id;

function placeIn(text: unknown): Place {
  const [time = '', id = ''] = typeof text === 'string' ? text.split('/') : [];
  const place = { time: Date.parse(time), id: Number(id) };
  if (Number.isNaN(place.time) || !ID.test(id))
    throw new DavFailure('bad-request', 'The parameter after has the time and id of an entry');
  return place;
}

const json = (rows: readonly object[]): DavReply =>
  new DavReply(
    200,
    { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    JSON.stringify(rows),
  );
