import { Controller, Inject, Options, Propfind, Proppatch, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope, identityOf } from '#identity';
import { CONFIG, type Config } from '#platform';
import { CachedPolicy } from '#settings';
import {
  hrefOf,
  listDirectory,
  NodeProperties,
  NodeTree,
  parseListingDepth,
  parsePropfind,
  parseProppatch,
  TreeWriter,
  WholeTree,
  FAVORITE,
  type MultistatusEntry,
  type PropertyChange,
  type VisibleNode,
} from '#storage';
import { TUS_OFFER } from '../uploads/tus/tus-headers';
import { assertConditions } from './conditions';
import { DavAccessGuard } from './dav-access.guard';
import { callOf, directoryOf, headerOf, propertyViewOf, readXmlBody, type DavCall } from './dav-call';
import { DavReply, multistatus, multistatusInParts } from './dav-reply';
import { listInfinitely } from './infinite-depth';
import { ALLOWED_METHODS, DAV_CLASSES, DAV_ROUTES } from './dav-routes';

/** Reads the requested properties of nodes. */
type Reading = (nodes: readonly VisibleNode[]) => Promise<Iterable<MultistatusEntry>>;

@Controller()
@RequireScope('files')
@UseGuards(DavAccessGuard)
export class PropertiesController {
  constructor(
    private readonly tree: NodeTree,
    private readonly whole: WholeTree,
    private readonly writer: TreeWriter,
    private readonly properties: NodeProperties,
    private readonly policy: CachedPolicy,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Options(DAV_ROUTES)
  options(): DavReply {
    return new DavReply(200, {
      dav: DAV_CLASSES,
      allow: ALLOWED_METHODS,
      'ms-author-via': 'DAV',
      ...TUS_OFFER,
      'content-length': 0,
    });
  }

  @Propfind(DAV_ROUTES)
  async propfind(@Req() request: FastifyRequest): Promise<DavReply> {
    const directory = directoryOf(request);
    const depth = parseListingDepth(headerOf(request, 'depth'));
    const wanted = parsePropfind(await readXmlBody(request));
    if (directory) return multistatus(listDirectory(directory, depth, wanted, identityOf(request)));
    const call = callOf(request);
    const read = (nodes: readonly VisibleNode[]): Promise<Iterable<MultistatusEntry>> =>
      this.properties.read(nodes, wanted, propertyViewOf(request, call, this.config));
    if (depth === 1) return this.list(call, read);
    return multistatus(await read(await this.nodesTo(depth, call)));
  }

  private async list({ view, path }: DavCall, read: Reading): Promise<DavReply> {
    const parts = this.tree.browse(view, path);
    const first = (await parts.next()).value ?? [];
    const second = await parts.next();
    if (second.done) return multistatus(await read(first));
    return multistatusInParts(
      (async function* entries() {
        yield await read(first);
        yield await read(second.value);
        for await (const part of parts) yield await read(part);
      })(),
    );
  }

  private async nodesTo(depth: 0 | 'infinity', { view, path }: DavCall): Promise<readonly VisibleNode[]> {
    if (depth === 0) return [await this.tree.stat(view, path)];
    return listInfinitely(await this.policy.current(), async (limit) => {
      const { top, found } = await this.whole.below(view, path, { by: 'nothing' }, limit);
      return [top, ...found];
    });
  }

  @Proppatch(DAV_ROUTES)
  async proppatch(@Req() request: FastifyRequest): Promise<DavReply> {
    const { view, uid, path, base } = callOf(request);
    const changes = parseProppatch(await readXmlBody(request));
    const node = await (isPersonal(changes, uid)
      ? this.tree.stat(view, path)
      : this.tree.statToChange(view, path));
    await assertConditions(request, () => Promise.resolve(node));
    const href = hrefOf(base, path, node.row.kind === 'folder');
    const propstats = await this.properties.change(node, changes, uid, (mtime, along) =>
      this.writer.touch(view, path, mtime, along),
    );
    return multistatus([{ href, propstats }]);
  }
}

/** Whether all changes are about the user's private properties, which locks do not protect. */
function isPersonal(changes: readonly PropertyChange[], uid: string | undefined): boolean {
  return uid !== undefined && changes.every(({ key }) => key === FAVORITE);
}
