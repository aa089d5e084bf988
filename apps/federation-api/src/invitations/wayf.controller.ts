import { Controller, Get, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { FederationRefused, OUR_PATHS, type ListedServer } from '#federation/protocol';
import { BudgetSpent } from '#identity';
import { markup, PageReply, RedirectReply, type Html } from '#pages';
import { Describe, PublicAddress, type EdgeReply } from '#platform';
import { Admission, RETRY_AFTER_SECONDS } from '../admission';
import { WhereAreYouFrom, type OpenInvitation } from './where-are-you-from';

const TITLE = 'Where are you from?';

/**
 * The page on which an invited person selects their organisation; discovery announces it with `invite-wayf`. It works
 * without scripts. A listed server
 * is a link to that server's page. A typed server is shown as a link first, because browsers block forms that redirect to another site.
 */
@Controller('ocm')
export class WayfController {
  constructor(
    private readonly admission: Admission,
    private readonly origins: WhereAreYouFrom,
    private readonly address: PublicAddress,
  ) {}

  @Get('wayf')
  @Describe('Shows a list of servers to an invited person, and redirects them to the one that they choose.', {
    answers: {
      200: 'The page',
      303: 'Redirect to the page of their server',
      404: 'There is no such invitation',
    },
  })
  async page(
    @Req() { ip }: FastifyRequest,
    @Query('token') token: unknown,
    @Query('provider') listed: unknown,
    @Query('typed') typed: unknown,
  ): Promise<EdgeReply> {
    try {
      return await this.admission.hear(ip, async () => {
        const invitation = await this.origins.invitationOf(textOf(token));
        return textOf(listed) === '' && textOf(typed) === ''
          ? this.choice(invitation)
          : this.onward(invitation, textOf(listed), textOf(typed));
      });
    } catch (error) {
      if (error instanceof BudgetSpent) return refusal(429, error.retryAfterSeconds);
      if (!(error instanceof FederationRefused)) throw error;
      return error.refusal === 'temporarily-unavailable' ? refusal(503, RETRY_AFTER_SECONDS) : OVER;
    }
  }

  private async onward(invitation: OpenInvitation, listed: string, typed: string): Promise<EdgeReply> {
    const found = await this.origins.dialogAt(invitation, listed || typed);
    if (found === undefined)
      return this.choice(
        invitation,
        markup`<p role="alert">This server takes no invitations by a link, or gives no answer. Give it the text below.</p>`,
      );
    if (listed !== '') return new RedirectReply(found.address);
    const link = markup`<p><a href="${found.address}">Accept the invitation at ${found.host}</a></p>`;
    return new PageReply(200, TITLE, link);
  }

  private async choice(invitation: OpenInvitation, notice: Html = markup``): Promise<EdgeReply> {
    const page = `${this.address.path}${OUR_PATHS.wayf}`;
    const servers = await this.origins.servers();
    const item = ({ hostKey, name }: ListedServer): Html => {
      const query = new URLSearchParams({ token: invitation.token, provider: hostKey }).toString();
      return markup`<li><a href="${page}?${query}">${name}</a> (${hostKey})</li>`;
    };
    const list = servers.length === 0 ? markup`` : markup`<ul>${servers.map(item)}</ul>`;
    return new PageReply(
      200,
      TITLE,
      markup`${notice}<p>You are invited to share files with somebody at ${this.origins.host}. Select your own server.</p>
${list}<form method="get" action="${page}"><input type="hidden" name="token" value="${invitation.token}">
<p><label>Your server <input name="typed" required maxlength="255" placeholder="cloud.example.org" autocomplete="url"></label></p>
<p><button>Continue</button></p></form>
<p>Or give this to your server where it asks for an invitation: <code>${invitation.text}</code></p>`,
    );
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const OVER = new PageReply(
  404,
  TITLE,
  markup`<p>There is no such invitation. It may have ended, or been accepted already.</p>`,
);

const refusal = (status: 429 | 503, retryAfterSeconds: number): PageReply =>
  new PageReply(status, TITLE, markup`<p>Please try again later.</p>`, { retryAfterSeconds });
