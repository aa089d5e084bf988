import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  accessThrough,
  childOf,
  LinkSignatures,
  NodeTree,
  parseName,
  parsePath,
  TreeWriter,
  viewOf,
} from '#storage';
import { readFormFiles } from './form-files';
import type { LinkVisit } from './link-visit';
import { PartnerGuests } from '../webapps/partner-guests';

/** A file that a visitor of a link uploaded. */
export interface LinkUpload {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

/** Stores the files of forms on pages of links. Existing files are never overwritten. */
@Injectable()
export class LinkUploads {
  constructor(
    private readonly guests: PartnerGuests,
    private readonly signatures: LinkSignatures,
    private readonly tree: NodeTree,
    private readonly writer: TreeWriter,
  ) {}

  /**
   * @returns undefined without a valid signature of a protected link
   * @throws LinkUnavailable, BudgetSpent, TreeFailure, DavFailure
   */
  async take(
    { token, address, cookies, query }: LinkVisit,
    request: FastifyRequest,
  ): Promise<readonly LinkUpload[] | undefined> {
    const link = await this.guests.visit(token, address, cookies);
    const isAdmitted = link.row.passwordHash === null || this.signatures.read(link, query, 'upload');
    if (!isAdmitted) return undefined;
    const view = viewOf(link, false);
    const folder = await this.tree.spell(view, parsePath(typeof query.path === 'string' ? query.path : ''));
    const options = { makesWay: true, makesParents: accessThrough(link).isDrop };
    return readFormFiles(request, async (name, content) => {
      const path = await this.tree.spell(view, childOf(folder, parseName(name)));
      const { node } = await this.writer.put(view, path, content, options);
      return { name, size: node.row.size };
    });
  }
}
