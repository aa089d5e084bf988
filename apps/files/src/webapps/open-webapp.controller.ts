import { Controller, Get, Param, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { findWebapp, openWebapp } from '#federation/exchange';
import { hostOfAddress } from '#federation/protocol';
import { AccountGuard, CallLimits, identityOf, RequireScope, strengthOf } from '#identity';
import { languageOf, markup, PageReply } from '#pages';
import { PublicAddress, type EdgeReply } from '#platform';
import { assertInService } from '#settings';
import { PLAIN_SESSION, STRONG_SESSION, type CallerSession } from '#sharing';
import { ReceivedWebapps } from './received-webapps';
import { webappTexts } from './webapp-texts';

const OPEN = '/index.php/apps/ocm/open';

/**
 * Opens the web application that shows a received share, at its own server: the page posts an access token there. The secret of the share
 * stays here. Other servers lead the browser to this address when the session of their application has ended.
 */
@Controller(['apps/ocm/open', 'index.php/apps/ocm/open'])
@RequireScope('files')
@UseGuards(AccountGuard)
export class OpenWebappController {
  constructor(
    private readonly webapps: ReceivedWebapps,
    private readonly limits: CallLimits,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Get(':id')
  async open(@Req() request: FastifyRequest, @Param('id') id: string): Promise<EdgeReply> {
    await assertInService(this.webapps.policy);
    const texts = webappTexts(languageOf(request.headers));
    const asked = [Number(id), identityOf(request).uid, sessionBehind(request)] as const;
    const here = `${OPEN}/${Number(id)}`;
    // Pages of other sites lead here, but cause no request to a partner.
    if (isFromElsewhere(request)) {
      const { share } = await findWebapp(this.webapps, ...asked);
      const open = texts.openAt(share.name, hostOfAddress(share.hostKey));
      const again = markup`<p><a href="${this.publicAddress.path}${here}">${open}</a></p>`;
      return new PageReply(200, share.name, again, { language: languageOf(request.headers) });
    }
    await this.limits.webapp(asked[1]);
    const { share, entry } = await openWebapp(this.webapps, ...asked);
    const form = markup`<form id="launch" method="post" action="${entry.uri}">
<input type="hidden" name="access_token" value="${entry.token}">
<input type="hidden" name="expired_session_redirect_uri" value="${this.publicAddress.url}${here}">
<p><button class="main">${texts.openAt(share.name, new URL(entry.uri).host)}</button></p></form>`;
    return new PageReply(200, share.name, form, {
      language: languageOf(request.headers),
      program: 'launch',
      postsTo: new URL(entry.uri).origin,
    });
  }
}

/** The browser says that a page of another site led here; clients that are no browsers say nothing. */
function isFromElsewhere({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
}

const sessionBehind = (request: FastifyRequest): CallerSession =>
  strengthOf(request) === 'two_factors' ? STRONG_SESSION : PLAIN_SESSION;
