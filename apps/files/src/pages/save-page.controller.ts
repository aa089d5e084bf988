import { Controller, Get, Query, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Html, languageOf, markup, PageReply } from '#pages';
import { AccountGuard, RequireScope, sessionOf } from '#identity';
import { PublicAddress, type EdgeReply } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { linkRefusalNamed } from '#sharing';
import { saveTexts } from './save-texts';
import { tokenField } from './token-field';

/**
 * The page to which ownCloud sends people who add a link to their own server. The details of the link are behind the
 * `#` of the address, which only scripts could read, so people paste the address of the link.
 */
@Controller(['apps/files', 'index.php/apps/files'])
@RequireScope('sharing')
@UseGuards(AccountGuard)
export class SavePageController {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Get()
  async form(
    @Req() request: FastifyRequest,
    @Query('saved') saved: unknown,
    @Query('url') url: unknown,
  ): Promise<EdgeReply> {
    await assertInService(this.policy);
    const root = this.publicAddress.path;
    const language = languageOf(request.headers);
    const texts = saveTexts(language);
    return new PageReply(
      200,
      texts.title,
      markup`${outcomeText(saved, texts)}
<form method="post" action="${root}/index.php/apps/files_sharing/external">${tokenField(sessionOf(request))}
<p><label>${texts.address} <input type="url" name="url" required placeholder="https://cloud.example.org/s/..." value="${typeof url === 'string' ? url : ''}"></label></p>
<p><label>${texts.password} <input type="password" name="password" autocomplete="off"></label></p>
<p><button>${texts.save}</button></p></form>`,
      { language },
    );
  }
}

/** @param saved `yes`, or the reason why not */
function outcomeText(saved: unknown, texts: ReturnType<typeof saveTexts>): Html {
  if (saved === 'yes') return markup`<p role="status"><strong>${texts.saved}</strong></p>`;
  const refusal = typeof saved === 'string' ? linkRefusalNamed(saved) : undefined;
  return refusal ? markup`<p role="alert"><strong>${texts.refused(refusal)}</strong></p>` : markup``;
}
