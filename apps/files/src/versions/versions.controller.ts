import {
  Controller,
  Copy,
  Delete,
  Get,
  Head,
  Move,
  Options,
  Propfind,
  Proppatch,
  Req,
  UseGuards,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope } from '#identity';
import {
  admitDownload,
  DavFailure,
  FileVersions,
  isSameUser,
  NodeProperties,
  NodeTree,
  parseDavPath,
  parseDestinationPath,
  parseListingDepth,
  parsePropfind,
  parseProppatch,
  parseRange,
  propStatOf,
  restoreTargetOf,
  userView,
  VERSION_LABEL,
  versionEntries,
  type ShownVersion,
} from '#storage';
import { contentHeaders, writtenHeaders } from '../dav/content-headers';
import { headerOf, isOwnTree, readXmlBody } from '../dav/dav-call';
import { created, DavReply, multistatus, noContent } from '../dav/dav-reply';
import { lockTokensOf } from '../dav/if-conditions';
import { VersionAccessGuard, versionCallOf, type VersionCall } from './version-access.guard';

const META_ROUTES = ['remote.php/dav/meta', 'remote.php/dav/meta/*'];
const VERSION_ROUTES = ['remote.php/dav/versions', 'remote.php/dav/versions/*'];
const ROUTES = [...META_ROUTES, ...VERSION_ROUTES];
const ALLOWED = {
  meta: 'OPTIONS, GET, HEAD, PROPFIND, COPY',
  versions: 'OPTIONS, GET, HEAD, DELETE, PROPFIND, PROPPATCH, MOVE',
};

/** Maximum length of a version's name. */
const MAX_LABEL_CHARACTERS = 250;

/** Versions of files at ownCloud's and at Nextcloud's addresses. */
@Controller()
@RequireScope('files')
@UseGuards(VersionAccessGuard)
export class VersionsController {
  constructor(
    private readonly versions: FileVersions,
    private readonly properties: NodeProperties,
    private readonly tree: NodeTree,
  ) {}

  @Options(ROUTES)
  options(@Req() request: FastifyRequest): DavReply {
    const allow = ALLOWED[versionCallOf(request).address.form];
    return new DavReply(200, { dav: '1, 3', allow, 'content-length': 0 });
  }

  @Propfind(ROUTES)
  async propfind(@Req() request: FastifyRequest): Promise<DavReply> {
    const depth = parseListingDepth(headerOf(request, 'depth'));
    if (depth === 'infinity') throw new DavFailure('finite-depth', 'Depth infinity is not allowed here');
    const wanted = parsePropfind(await readXmlBody(request));
    const call = versionCallOf(request);
    const shown = [await this.asked(call), ...(depth === 1 ? await this.below(call) : [])];
    return multistatus(versionEntries(shown, wanted));
  }

  // Declared before GET: otherwise Fastify would derive a HEAD from GET, which opens the content.
  @Head(ROUTES)
  async head(@Req() request: FastifyRequest): Promise<DavReply> {
    const call = versionCallOf(request);
    const version = await this.versionOf(call);
    admitDownload(call.node);
    return new DavReply(200, { ...headersOf(call, version), 'content-length': version.size });
  }

  @Get(ROUTES)
  async get(@Req() request: FastifyRequest): Promise<DavReply> {
    const call = versionCallOf(request);
    const version = await this.versionOf(call);
    admitDownload(call.node);
    const range = parseRange(headerOf(request, 'range'), version.size);
    const body = await this.versions.read(call.node, version, range);
    const headers = headersOf(call, version);
    if (!range) return new DavReply(200, { ...headers, 'content-length': version.size }, body);
    const { start, end } = range;
    const part = {
      'content-range': `bytes ${start}-${end}/${version.size}`,
      'content-length': end - start + 1,
    };
    return new DavReply(206, { ...headers, ...part }, body);
  }

  @Copy(META_ROUTES)
  async copy(@Req() request: FastifyRequest): Promise<DavReply> {
    const call = versionCallOf(request);
    const version = await this.versionOf(call);
    const { tree, path } = parseDavPath(parseDestinationPath(headerOf(request, 'destination')));
    if (!isOwnTree(tree, call.uid)) throw new DavFailure('not-found', 'The destination lies in another tree');
    const view = userView(call.uid, lockTokensOf(request));
    const spelled = await this.tree.spell(view, path);
    const restored = await this.versions.restore(view, spelled, call.address.fileId, version.id);
    return noContent(await writtenHeaders(this.properties, call, restored));
  }

  @Move(VERSION_ROUTES)
  async move(@Req() request: FastifyRequest): Promise<DavReply> {
    const call = versionCallOf(request);
    const { uid, address, node } = call;
    const version = await this.versionOf(call);
    const target = restoreTargetOf(parseDestinationPath(headerOf(request, 'destination')));
    if (target === undefined || !isSameUser(target, uid))
      throw new DavFailure('forbidden', 'A version is moved to the address for restoring alone');
    const view = userView(uid, lockTokensOf(request));
    const restored = await this.versions.restore(view, node.path, address.fileId, version.id);
    return created(await writtenHeaders(this.properties, { uid }, restored));
  }

  @Delete(VERSION_ROUTES)
  async delete(@Req() request: FastifyRequest): Promise<DavReply> {
    const call = versionCallOf(request);
    const version = await this.versionOf(call);
    await this.versions.remove(call.uid, call.node, version.id);
    return noContent();
  }

  /** Only the name of a version can be changed. */
  @Proppatch(VERSION_ROUTES)
  async proppatch(@Req() request: FastifyRequest): Promise<DavReply> {
    const call = versionCallOf(request);
    const version = await this.versionOf(call);
    const changes = parseProppatch(await readXmlBody(request));
    const label = changes.findLast(({ key }) => key === VERSION_LABEL)?.text;
    const others = changes.filter(({ key }) => key !== VERSION_LABEL);
    const isRefused = others.length > 0 || (label ?? '').length > MAX_LABEL_CHARACTERS;
    if (!isRefused) await this.versions.name(call.node, version.id, label === '' ? null : (label ?? null));
    const propstat = propStatOf(
      isRefused ? 403 : 200,
      changes.map(({ key }) => key),
    );
    return multistatus([{ href: hrefOfVersion(call, version.id), propstats: [propstat] }]);
  }

  private async asked(call: VersionCall): Promise<ShownVersion> {
    const { address, node } = call;
    if (address.of === 'file') return { href: `${parentOf(address.base)}/`, kind: 'file', node };
    if (address.of === 'versions') return this.collection(call);
    const version = await this.versionOf(call);
    return { href: hrefOfVersion(call, version.id), kind: 'version', node, version };
  }

  private async below(call: VersionCall): Promise<ShownVersion[]> {
    const { address, node } = call;
    if (address.of === 'file') return [await this.collection(call)];
    if (address.of === 'version') return [];
    const versions = await this.versions.list(node);
    return versions.map((version) => ({
      href: hrefOfVersion(call, version.id),
      kind: 'version',
      node,
      version,
    }));
  }

  private async collection({ address, node }: VersionCall): Promise<ShownVersion> {
    return { href: `${address.base}/`, kind: 'versions', author: await this.versions.currentAuthor(node) };
  }

  private async versionOf({ address, node }: VersionCall) {
    if (address.of !== 'version')
      throw new DavFailure('method-not-allowed', 'This is no version: list the versions with PROPFIND');
    return this.versions.find(node, address.versionId);
  }
}

const parentOf = (href: string): string => href.slice(0, href.lastIndexOf('/'));

const hrefOfVersion = ({ address }: VersionCall, versionId: number): string => `${address.base}/${versionId}`;

/** The same as for the file, but with the state of the version. */
function headersOf({ node }: VersionCall, version: Awaited<ReturnType<FileVersions['find']>>) {
  const { mtime, checksum, etag } = version;
  return contentHeaders({ path: node.path, etag, row: { ...node.row, mtime, checksum } });
}
