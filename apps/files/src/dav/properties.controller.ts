import { Controller, Inject, Options, Propfind, Proppatch, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '#platform';
import { hrefOf, NodeProperties, NodeTree, parseListingDepth, parsePropfind, parseProppatch } from '#storage';
import { DavAccessGuard } from './dav-access.guard';
import { callOf, headerOf, readXmlBody } from './dav-call';
import { DavReply, multistatus } from './dav-reply';
import { ALLOWED_METHODS, DAV_CLASSES, DAV_ROUTES } from './dav-routes';

@Controller()
@UseGuards(DavAccessGuard)
export class PropertiesController {
  constructor(
    private readonly tree: NodeTree,
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
    const { view, uid, path, base, shared } = callOf(request);
    const depth = parseListingDepth(headerOf(request, 'depth'));
    const wanted = parsePropfind(await readXmlBody(request));
    const nodes = depth === 0 ? [await this.tree.stat(view, path)] : await this.tree.browse(view, path);
    const publicUrl = this.config.PUBLIC_URL ?? `${request.protocol}://${request.host}`;
    return multistatus(
      await this.properties.read(nodes, wanted, { uid, base, publicUrl, link: shared?.linkProperties }),
    );
  }

  @Proppatch(DAV_ROUTES)
  async proppatch(@Req() request: FastifyRequest): Promise<DavReply> {
    const { view, uid, path, base } = callOf(request);
    const changes = parseProppatch(await readXmlBody(request));
    const node = await this.tree.stat(view, path);
    const href = hrefOf(base, path, node.row.kind === 'folder');
    return multistatus([{ href, propstats: await this.properties.change(node, changes, uid) }]);
  }
}
