import { Controller, Get, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BrowserSessions } from '#identity';
import { type Html, markup, PageReply } from '#pages';
import { PublicAddress, type EdgeReply } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { isFromBrowser, toSignIn } from './sign-in-first';
import { tokenField } from './token-field';

const OUTCOMES: Readonly<Record<string, string>> = {
  yes: 'The invitation is accepted: the one who invited you is among your contacts.',
  later: 'The server of the invitation did not answer yet. The contact appears when it does.',
  no: 'The invitation could not be accepted. It may have ended, or been accepted already, or its server is away.',
};

/**
 * The page for accepting an invitation, which discovery announces as `inviteAcceptDialog`. Other servers send people here with `token`
 * and `providerDomain`. Browsers without a session sign in first. Other requests get the form without a sign-in; sending it requires one.
 */
@Controller(['apps/ocm/invitation', 'index.php/apps/ocm/invitation'])
export class InvitationPageController {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly sessions: BrowserSessions,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Get()
  async form(
    @Req() request: FastifyRequest,
    @Query('token') token: unknown,
    @Query('providerDomain') providerDomain: unknown,
    @Query('accepted') accepted: unknown,
  ): Promise<EdgeReply> {
    await assertInService(this.policy);
    const root = this.publicAddress.path;
    const session = (await this.sessions.find(request.headers.cookie))?.session;
    const isSignedIn = session !== undefined && !session.lacksSecondFactor;
    if (!isSignedIn && isFromBrowser(request)) return toSignIn(root, request);
    return new PageReply(
      200,
      'Accept an invitation',
      markup`${outcomeText(accepted)}
<form method="post" action="${root}/index.php/apps/ocm/invitation/accept">${tokenField(session)}
<p><label>Server that invites you <input name="providerDomain" required value="${textOf(providerDomain)}"></label></p>
<p><label>Token of the invitation <input name="token" required value="${textOf(token)}" autocomplete="off"></label></p>
<p><button>Accept</button></p></form>`,
    );
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function outcomeText(accepted: unknown): Html {
  const outcome = Object.hasOwn(OUTCOMES, textOf(accepted)) ? OUTCOMES[textOf(accepted)] : undefined;
  return outcome === undefined ? markup`` : markup`<p><strong>${outcome}</strong></p>`;
}
