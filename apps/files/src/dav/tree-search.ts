import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '#platform';
import { DavFailure, NodeProperties, WholeTree, type SearchRequest } from '#storage';
import { propertyViewOf, type DavCall } from './dav-call';
import { multistatus, type DavReply } from './dav-reply';

/** Runs searches in the trees of users. */
@Injectable()
export class TreeSearch {
  constructor(
    private readonly whole: WholeTree,
    private readonly properties: NodeProperties,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Answers with the nodes below the folder of `call`, at any depth. @throws DavFailure, TreeFailure */
  async answer(
    request: FastifyRequest,
    call: Pick<DavCall, 'view' | 'base' | 'path' | 'uid' | 'shared'>,
    { filter, limit, wanted }: SearchRequest,
  ): Promise<DavReply> {
    const { view, path, uid } = call;
    if (uid === undefined) throw new DavFailure('forbidden', 'Only accounts search their files');
    const complete = filter.by === 'favorite' ? { ...filter, uid } : filter;
    const { found } = await this.whole.below(view, path, complete, limit);
    return multistatus(await this.properties.read(found, wanted, propertyViewOf(request, call, this.config)));
  }
}
