import { Controller, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AuthenticationFailed, BudgetSpent } from '#identity';
import { Describe, PublicAddress, type EdgeReply } from '#platform';
import { SharingFailed } from '#sharing';
import { LinkUnavailable, TreeFailure } from '#storage';
import { sharingFailure } from '../shares/share-failures';
import { readCallFields, type CallFields } from './call-fields';
import { BackToLinkReply, SavedLinkReply } from './saved-link-reply';
import { SaveLinkElsewhere, type ShownLink } from './save-link-elsewhere';

const NO_SUCH_LINK = 'This link does not exist, or its password is another one';

/** Saves a public link at another server: in Nextcloud's form for servers and clients, and for the form on a link's page. */
@Controller(['apps/federatedfilesharing', 'index.php/apps/federatedfilesharing'])
export class SavedLinksController {
  constructor(
    private readonly links: SaveLinkElsewhere,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Post('createFederatedShare')
  @Describe('Shares the file or folder of a public link with an account at another server.')
  async save(@Req() request: FastifyRequest): Promise<EdgeReply> {
    const fields = readCallFields(request.body);
    const { shareWith = '' } = fields;
    const outcome = await this.outcomeOf(shownIn(fields, request.ip), shareWith);
    if (request.headers.accept?.includes('text/html')) return this.backToPage(fields, stateOf(outcome));
    if (typeof outcome !== 'number') return outcome;
    const remoteUrl = shareWith.slice(shareWith.lastIndexOf('@') + 1);
    return new SavedLinkReply(200, { remoteUrl, providerId: String(outcome) });
  }

  /** Id of the offered share, or the refusal. */
  private async outcomeOf(shown: ShownLink, shareWith: string): Promise<number | SavedLinkReply> {
    try {
      return await this.links.save(shown, shareWith);
    } catch (error) {
      const retryAfter = retryAfterOf(error);
      if (retryAfter !== undefined)
        return new SavedLinkReply(429, { message: 'Too many requests' }, { 'retry-after': retryAfter });
      const message = messageOf(error);
      if (message === undefined) throw error;
      return new SavedLinkReply(400, { message });
    }
  }

  /** The form shows a refused address again. */
  private backToPage(
    { token = '', shareWith = '', signature, expires }: CallFields,
    saved: SavedState,
  ): BackToLinkReply {
    const root = this.publicAddress.path;
    const query = new URLSearchParams({ saved, ...(saved !== 'yes' && { shareWith }) });
    if (signature && expires)
      for (const [name, value] of Object.entries({ signature, expires })) query.set(name, value);
    return new BackToLinkReply(`${root}/s/${encodeURIComponent(token)}?${query.toString()}`);
  }
}

/** Result on the page of the link: `later` if there were too many attempts. */
type SavedState = 'yes' | 'no' | 'later';

function stateOf(outcome: number | SavedLinkReply): SavedState {
  if (typeof outcome === 'number') return 'yes';
  return outcome.status === 429 ? 'later' : 'no';
}

function shownIn({ token = '', password = '', signature, expires }: CallFields, address: string): ShownLink {
  return { token, password, signed: { signature, expires }, address };
}

function retryAfterOf(error: unknown): string | undefined {
  if (error instanceof BudgetSpent) return String(Math.ceil(error.retryAfterSeconds));
  if (!(error instanceof AuthenticationFailed) || error.retryAfterSeconds === undefined) return undefined;
  return String(Math.ceil(error.retryAfterSeconds));
}

/** The text of a refusal; undefined for other errors. */
function messageOf(error: unknown): string | undefined {
  const isHidden = error instanceof LinkUnavailable || error instanceof AuthenticationFailed;
  if (isHidden || error instanceof TreeFailure) return NO_SUCH_LINK;
  return error instanceof SharingFailed ? sharingFailure(error)?.message : undefined;
}
