import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountGuard, identityOf } from '#identity';
import { Places } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { DavReply } from '../dav/dav-reply';
import { AvatarPictures } from './avatar-pictures';
import { jsonReply } from './avatar-replies';
import { AvatarFiles } from './avatar-files';
import { pictureFormOf, readForm, squareIn } from './avatar-form';
import { AvatarRefused } from './avatar-refused';

/** Maximum of simultaneous uploads, whose bodies are held in memory: in total, and of one account. */
const UPLOADS = 3;
const UPLOADS_OF_ONE = 1;
const NOTHING_WAITS = 'No temporary profile picture available, try again';

/** The caller's picture, with the addresses and texts of deployed servers: upload, cut to a square, remove. */
@Controller(['avatar', 'index.php/avatar'])
@UseGuards(AccountGuard)
export class OwnAvatarController {
  private readonly places = new Places(UPLOADS, UPLOADS_OF_ONE);

  constructor(
    private readonly avatars: AvatarPictures,
    private readonly files: AvatarFiles,
    private readonly policy: CachedPolicy,
  ) {}

  // Clients add a slash to the address, which a route does not match.
  @Post(['', '*'])
  upload(@Req() request: FastifyRequest, @Param('*') rest?: string): Promise<DavReply> {
    return this.answer(request, rest, async (uid) => {
      const giveBack = this.places.take(uid);
      try {
        const form = pictureFormOf(await readForm(request));
        const taken = await this.avatars.take(uid, () => this.files.pictureIn(form, uid));
        if (!taken) throw new AvatarRefused(200, 'Invalid image');
        if (taken === 'shown') return { status: 'success' };
        const image = `data:${taken.type};base64,${taken.data.toString('base64')}`;
        return { data: 'notsquare', image };
      } finally {
        giveBack();
      }
    });
  }

  /** The picture that waits to be cut. */
  @Get('tmp')
  async draft(@Req() request: FastifyRequest): Promise<DavReply> {
    await assertInService(this.policy);
    const draft = await this.avatars.draft(identityOf(request).uid);
    if (!draft) return jsonReply(404, { data: { message: NOTHING_WAITS } });
    const headers = {
      'content-type': draft.mimetype,
      'content-length': draft.picture.length,
      'cache-control': 'private, no-cache',
      'content-security-policy': "default-src 'none'; sandbox",
    };
    return new DavReply(200, headers, draft.picture);
  }

  @Post('cropped')
  cut(@Req() request: FastifyRequest): Promise<DavReply> {
    return this.answer(request, '', async (uid) => {
      const square = squareIn(await readForm(request));
      const draft = await this.avatars.draft(uid);
      if (!draft) throw new AvatarRefused(400, NOTHING_WAITS);
      if (!(await this.avatars.cut(uid, draft, square)))
        throw new AvatarRefused(400, 'No valid crop data provided');
      return { status: 'success' };
    });
  }

  @Delete(['', '*'])
  remove(@Req() request: FastifyRequest, @Param('*') rest?: string): Promise<DavReply> {
    return this.answer(request, rest, async (uid) => {
      await this.avatars.remove(uid);
      return [];
    });
  }

  private async answer(
    request: FastifyRequest,
    rest: string | undefined,
    work: (uid: string) => Promise<object>,
  ): Promise<DavReply> {
    await assertInService(this.policy);
    if (rest) return jsonReply(404, { data: { message: 'There is nothing at this address' } });
    try {
      if (request.method !== 'DELETE' && !(await this.policy.current()).avatars)
        throw new AvatarRefused(403, 'Profile pictures are switched off');
      return jsonReply(200, await work(identityOf(request).uid));
    } catch (error) {
      if (!(error instanceof AvatarRefused)) throw error;
      return jsonReply(error.status, { data: { message: error.message } });
    }
  }
}
