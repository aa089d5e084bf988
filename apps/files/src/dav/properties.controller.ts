import { Controller, Inject, Options, Propfind, Proppatch, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BasicAuthGuard } from '#identity';
import { CONFIG, type Config } from '#platform';
import { hrefOf, NodeProperties, parseListingDepth, parsePropfind, parseProppatch, UserTree } from '#storage';
import { headerOf, readCall, readXmlBody } from './dav-call';
import { DavReply, multistatus } from './dav-reply';
import { ALLOWED_METHODS, DAV_CLASSES, DAV_ROUTES } from './dav-routes';

@Controller()
@UseGuards(BasicAuthGuard)
export class PropertiesController {
  constructor(
    private readonly tree: UserTree,
    private readonly properties: NodeProperties,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Options(DAV_ROUTES)
  options(): DavReply {
    return new DavReply(200, {
      dav: DAV_CLASSES,
      allow: ALLOWED_METHODS,
      'ms-author-via': 'DAV',
      'content-length': 0,
    });
  }

  @Propfind(DAV_ROUTES)
  async propfind(@Req() request: FastifyRequest): Promise<DavReply> {
    const { uid, path, base } = readCall(request);
    const depth = parseListingDepth(headerOf(request, 'depth'));
    const wanted = parsePropfind(await readXmlBody(request));
    const node = await this.tree.stat(uid, path);
    const nodes = depth === 0 ? [node] : [node, ...(await this.tree.list(uid, node))];
    const publicUrl = this.config.PUBLIC_URL ?? `${request.protocol}://${request.host}`;
    return multistatus(await this.properties.read(nodes, wanted, { uid, base, publicUrl }));
  }

  @Proppatch(DAV_ROUTES)
  async proppatch(@Req() request: FastifyRequest): Promise<DavReply> {
    const { uid, path, base } = readCall(request);
    const changes = parseProppatch(await readXmlBody(request));
    const node = await this.tree.stat(uid, path);
    const href = hrefOf(base, path, node.row.kind === 'folder');
    return multistatus([{ href, propstats: await this.properties.change(node, changes, uid) }]);
  }
}
