import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EdgeReply, LOGGER, Places, type Logger } from '#platform';
import {
  ArchivedTrees,
  tarArchive,
  TreeFailure,
  zipArchive,
  type ArchivedTree,
  type TreeView,
  type VisibleNode,
} from '#storage';
import { attachmentHeaders } from '../dav/content-headers';
import type { ArchiveFormat, ArchiveRequest } from './archive-request';

/** Maximum of simultaneous archives per process, and for one account or one link. */
const PLACES = 32;
const PLACES_OF_ONE = 4;

const TYPES: Readonly<Record<ArchiveFormat, string>> = {
  zip: 'application/zip',
  tar: 'application/x-tar',
};
const WRITERS = { zip: zipArchive, tar: tarArchive };

/** Sends folders as one file. An incomplete archive is cut off without its end, so that no client takes it for complete. */
@Injectable()
export class ArchiveReplies {
  private readonly places = new Places(PLACES, PLACES_OF_ONE);

  constructor(
    private readonly trees: ArchivedTrees,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws Unavailable if too many archives are being made; TreeFailure as ArchivedTrees.open */
  async reply(
    request: FastifyRequest,
    view: TreeView,
    folder: VisibleNode,
    { format, chosen }: ArchiveRequest,
  ): Promise<EdgeReply> {
    const giveBack = this.places.take(holderOf(view));
    try {
      const ended = new AbortController();
      const tree = await this.trees.open(view, folder, ended.signal, chosen);
      // Fastify answers HEAD like GET, which would read the whole archive for nothing.
      if (request.method === 'HEAD') {
        giveBack();
        return new ArchiveReply(tree, format, undefined);
      }
      const body = Readable.from(WRITERS[format](tree.entries), { objectMode: false });
      body.once('close', () => {
        giveBack();
        ended.abort();
      });
      body.on('error', (error) => this.note(request, tree, error));
      return new ArchiveReply(tree, format, body);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  private note(request: FastifyRequest, { name }: ArchivedTree, error: Error): void {
    const isExpected = error instanceof TreeFailure || request.raw.destroyed;
    if (!isExpected) this.logger.error({ err: error, requestId: request.id }, 'archive broke off');
    else
      this.logger.info({ requestId: request.id, archive: name, reason: error.message }, 'archive broke off');
  }
}

class ArchiveReply extends EdgeReply {
  constructor(
    private readonly tree: ArchivedTree,
    private readonly format: ArchiveFormat,
    private readonly body: Readable | undefined,
  ) {
    super();
  }

  write(reply: FastifyReply): void {
    // Also destroys the body if the client disconnects before the first byte.
    reply.raw.once('close', () => this.body?.destroy());
    void reply
      .code(200)
      .headers({
        ...attachmentHeaders(`${this.tree.name}.${this.format}`),
        'content-type': TYPES[this.format],
      })
      .send(this.body);
  }
}

const holderOf = (view: TreeView): string =>
  view.kind === 'user' ? `user ${view.uid}` : `share ${view.shareId}`;
