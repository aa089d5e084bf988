import { Controller, Delete, Get, HttpCode, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readForeignLink, readLinkAddress, type ForeignLink } from '#federation/protocol';
import { RequireScope, identityOf } from '#identity';
import { Describe, PublicAddress, type EdgeReply } from '#platform';
import { acceptReceivedShare, declineReceivedShare, LinkRefused, listPendingShares } from '#sharing';
import { RemoteSharePorts } from '../remote-shares/remote-share-adapters';
import { remoteShareRecord } from '../remote-shares/remote-share-record';
import { readCallFields, type CallFields } from '../saved-links/call-fields';
import { backToForm } from '../saved-links/back-to-form';
import { SavedLinkReply } from '../saved-links/saved-link-reply';
import { parseShareId } from '../shares/share-parameters';
import { FoundServer } from './found-server';
import { SaveLinkHere } from './save-link-here';
import { SignedInCallGuard } from './signed-in.guard';

/** Calls outside of OCS with which ownCloud's and Nextcloud's web clients save links and decide on offers. */
@Controller(['apps/files_sharing', 'index.php/apps/files_sharing'])
@RequireScope('sharing')
@UseGuards(SignedInCallGuard)
export class ExternalSharesController {
  constructor(
    private readonly links: SaveLinkHere,
    private readonly servers: FoundServer,
    private readonly received: RemoteSharePorts,
    private readonly publicAddress: PublicAddress,
  ) {}

  /** ownCloud's clients read `status` in the body. A browser is sent back to the page with the form. */
  @Post('external')
  @HttpCode(200)
  @Describe('Saves a public link of another server, for ownCloud’s web client.')
  async save(@Req() request: FastifyRequest): Promise<EdgeReply> {
    const refused = await refusalOf(this.links, request);
    if (request.headers.accept?.includes('text/html')) {
      const outcome = { saved: refused?.refusal ?? 'yes' };
      const isFilled = refused !== undefined;
      return backToForm(this.publicAddress.path, 'link', request, { outcome, isFilled });
    }
    if (!refused) return new SavedLinkReply(200, { status: 'success' });
    return new SavedLinkReply(200, { status: 'error', data: { message: refused.message } });
  }

  @Get('testremote')
  @Describe('Finds out how another server can be reached: "https", "http" or false.')
  async test(@Req() request: FastifyRequest, @Query('remote') remote: unknown): Promise<EdgeReply> {
    const named = typeof remote === 'string' ? remote : '';
    return new SavedLinkReply(200, await this.servers.schemeOf(identityOf(request).uid, named));
  }

  @Get('api/externalShares')
  @Describe('Lists the pending shares of other servers, for ownCloud’s web client.')
  async pending(@Req() request: FastifyRequest): Promise<EdgeReply> {
    const shares = await listPendingShares(this.received, identityOf(request).uid);
    return new SavedLinkReply(200, shares.map(remoteShareRecord));
  }

  @Post('api/externalShares')
  @HttpCode(200)
  @Describe('Accepts a share of another server, for ownCloud’s web client.')
  async accept(@Req() request: FastifyRequest): Promise<EdgeReply> {
    const { id = '' } = readCallFields(request.body);
    await acceptReceivedShare(this.received, identityOf(request).uid, parseShareId(id));
    return new SavedLinkReply(200, []);
  }

  @Delete('api/externalShares/:id')
  @Describe('Declines a share of another server, for ownCloud’s web client.')
  async decline(@Req() request: FastifyRequest, @Param('id') id: string): Promise<EdgeReply> {
    await declineReceivedShare(this.received, identityOf(request).uid, parseShareId(id));
    return new SavedLinkReply(200, []);
  }
}

/** The call with which Nextcloud's web client saves links. */
@Controller(['apps/federatedfilesharing', 'index.php/apps/federatedfilesharing'])
@RequireScope('sharing')
@UseGuards(SignedInCallGuard)
export class AskForShareController {
  constructor(private readonly links: SaveLinkHere) {}

  @Post('askForFederatedShare')
  @HttpCode(200)
  @Describe('Saves a public link of another server, for Nextcloud’s web client.')
  async ask(@Req() request: FastifyRequest): Promise<EdgeReply> {
    const refused = await refusalOf(this.links, request);
    if (refused) return new SavedLinkReply(400, { message: refused.message });
    return new SavedLinkReply(200, { message: 'The link is saved: it appears among your files' });
  }
}

/** Saves the link in the body. @returns undefined if it is saved, or will be */
async function refusalOf(links: SaveLinkHere, request: FastifyRequest): Promise<LinkRefused | undefined> {
  const fields = readCallFields(request.body);
  try {
    await links.save(identityOf(request).uid, linkIn(fields), fields.password ?? '', fields.name);
    return undefined;
  } catch (error) {
    if (error instanceof LinkRefused) return error;
    throw error;
  }
}

/** `url` is a field of our own form; `remote` may contain a query or a fragment. */
function linkIn({ url, remote = '', token = '' }: CallFields): ForeignLink | undefined {
  return url === undefined ? readForeignLink(remote.replace(/[?#].*$/s, ''), token) : readLinkAddress(url);
}
