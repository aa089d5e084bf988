import { Controller, Get, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { FederationRefused, OUR_PATHS, type ListedServer } from '#federation/protocol';
import { BudgetSpent } from '#identity';
import { languageOf, markup, PageReply, RedirectReply, type Html, type Language } from '#pages';
import { Describe, PublicAddress, type EdgeReply } from '#platform';
import { Admission, RETRY_AFTER_SECONDS } from '../admission';
import { wayfTexts } from './wayf-texts';
import { WhereAreYouFrom, type OpenInvitation } from './where-are-you-from';

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
    @Req() { ip, headers }: FastifyRequest,
    @Query('token') token: unknown,
    @Query('provider') listed: unknown,
    @Query('typed') typed: unknown,
  ): Promise<EdgeReply> {
    const language = languageOf(headers);
    try {
      return await this.admission.hear(ip, async () => {
        const invitation = await this.origins.invitationOf(textOf(token));
        return textOf(listed) === '' && textOf(typed) === ''
          ? this.choice(invitation, language)
          : this.onward(invitation, textOf(listed), textOf(typed), language);
      });
    } catch (error) {
      if (error instanceof BudgetSpent) return refusal(429, language, error.retryAfterSeconds);
      if (!(error instanceof FederationRefused)) throw error;
      return error.refusal === 'temporarily-unavailable'
        ? refusal(503, language, RETRY_AFTER_SECONDS)
        : over(language);
    }
  }

  private async onward(
    invitation: OpenInvitation,
    listed: string,
    typed: string,
    language: Language,
  ): Promise<EdgeReply> {
    const texts = wayfTexts(language);
    const found = await this.origins.dialogAt(invitation, listed || typed);
    if (found === undefined)
      return this.choice(invitation, language, {
        typed: listed || typed,
        notice: markup`<p role="alert">${texts.noDialog}</p>`,
      });
    if (listed !== '') return new RedirectReply(found.address);
    const link = markup`<p><a href="${found.address}">${texts.acceptAt(found.host)}</a></p>`;
    return new PageReply(200, texts.title, link, { language });
  }

  /** @param again the typed server that leads nowhere, and the notice about it */
  private async choice(
    invitation: OpenInvitation,
    language: Language,
    again: { readonly typed: string; readonly notice: Html } = { typed: '', notice: markup`` },
  ): Promise<EdgeReply> {
    const texts = wayfTexts(language);
    const page = `${this.address.path}${OUR_PATHS.wayf}`;
    const servers = await this.origins.servers();
    const item = ({ hostKey, name }: ListedServer): Html => {
      const query = new URLSearchParams({ token: invitation.token, provider: hostKey }).toString();
      return markup`<li><a href="${page}?${query}">${name}</a> (${hostKey})</li>`;
    };
    const list = servers.length === 0 ? markup`` : markup`<ul>${servers.map(item)}</ul>`;
    return new PageReply(
      200,
      texts.title,
      markup`${again.notice}<p>${texts.about(this.origins.host)}</p>
${list}<form method="get" action="${page}"><input type="hidden" name="token" value="${invitation.token}">
<p><label>${texts.server} <input name="typed" value="${again.typed}" required maxlength="255" placeholder="cloud.example.org" autocomplete="url"></label></p>
<p><button>${texts.goOn}</button></p></form>
<p>${texts.orText} <code>${invitation.text}</code></p>`,
      { language },
    );
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function over(language: Language): PageReply {
  const texts = wayfTexts(language);
  return new PageReply(404, texts.title, markup`<p>${texts.over}</p>`, { language });
}

function refusal(status: 429 | 503, language: Language, retryAfterSeconds: number): PageReply {
  const texts = wayfTexts(language);
  return new PageReply(status, texts.title, markup`<p>${texts.later}</p>`, { language, retryAfterSeconds });
}
