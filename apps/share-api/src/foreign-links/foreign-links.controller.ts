import { Controller, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readForeignLink, readLinkAddress } from '#federation/protocol';
import { RequireScope, identityOf } from '#identity';
import { OcsGuard, OcsInput, ocsPaths, ok, type OcsReply } from '#ocs/http';
import { text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { remoteShareRecord } from '../remote-shares/remote-share-record';
import { SaveLinkHere } from './save-link-here';

const SAVE = {
  url: text('Address of the link’s page; replaces server and token.'),
  remote: text("Address of the link's server."),
  token: text('Token of the link.'),
  password: text('Password of the link, if it has one.'),
  name: text('Name of the mount, if the other server sends none.'),
};

/** Saves public links of other servers as shares that the caller received. */
@Controller(ocsPaths('apps/files_sharing/api/v1/remote_shares'))
@RequireScope('sharing')
@UseGuards(OcsGuard)
export class ForeignLinksController {
  constructor(private readonly links: SaveLinkHere) {}

  /** Returns an empty list while the other server has not made its offer; the link is mounted when it does. */
  @Post()
  @Describe('Saves a public link of another server. It is mounted when that server has offered the share.')
  async save(@Req() request: FastifyRequest, @OcsInput(SAVE) input: InputOf<typeof SAVE>): Promise<OcsReply> {
    const { url, remote = '', token = '', password = '', name } = input;
    const link = url === undefined ? readForeignLink(remote, token) : readLinkAddress(url);
    const saved = await this.links.save(identityOf(request).uid, link, password, name);
    return ok(saved ? remoteShareRecord(saved) : []);
  }
}
