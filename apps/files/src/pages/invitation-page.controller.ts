import { Controller, Get, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BrowserSessions } from '#identity';
import { type Html, languageOf, markup, PageReply } from '#pages';
import { PublicAddress, type EdgeReply } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { invitationTexts } from './invitation-texts';
import { isFromBrowser, toSignIn } from './sign-in-first';
import { tokenField } from './token-field';

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
    const language = languageOf(request.headers);
    const texts = invitationTexts(language);
    return new PageReply(
      200,
      texts.title,
      markup`${outcomeText(accepted, texts.outcomes)}
<form method="post" action="${root}/index.php/apps/ocm/invitation/accept">${tokenField(session)}
<p><label>${texts.server} <input name="providerDomain" required value="${textOf(providerDomain)}"></label></p>
<p><label>${texts.token} <input name="token" required value="${textOf(token)}" autocomplete="off"></label></p>
<p><button>${texts.accept}</button></p></form>`,
      { language },
    );
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function outcomeText(accepted: unknown, outcomes: Readonly<Record<string, string>>): Html {
  const outcome = Object.hasOwn(outcomes, textOf(accepted)) ? outcomes[textOf(accepted)] : undefined;
  return outcome === undefined ? markup`` : markup`<p role="status"><strong>${outcome}</strong></p>`;
}
