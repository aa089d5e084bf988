import { Controller, Get, Param, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DownloadGuard, RequireScope, identityOf } from '#identity';
import { differencesOf, findPerson, type Person } from '#sharing';
import { assertInService, CachedPolicy } from '#settings';
import { DavFailure } from '#storage';
import { DavReply } from '../dav/dav-reply';
import { AvatarPictures, type AvatarFormat } from './avatar-pictures';
import { jsonReply, pictureReply } from './avatar-replies';
import { AvatarPeople } from './avatar-people';

const MOST_PIXELS = 2048;
const MOST_PIXELS_OVER_DAV = 1024;
const DEFAULT_PIXELS = 64;
const FILE_NAME = /^([1-9]\d{0,3})\.(png|jpeg)$/;

/** Pictures of accounts, for callers who may know that the account exists. */
@Controller()
@RequireScope('account')
@UseGuards(DownloadGuard)
export class AvatarController {
  constructor(
    private readonly avatars: AvatarPictures,
    private readonly people: AvatarPeople,
    private readonly policy: CachedPolicy,
  ) {}

  /** @throws DavFailure `method-not-allowed` for wrong names, as in deployed servers; `not-found` without a picture */
  @Get(['remote.php/dav/avatars/:user/:file', 'dav/avatars/:user/:file'])
  async overDav(
    @Req() request: FastifyRequest,
    @Param('user') uid: string,
    @Param('file') file: string,
  ): Promise<DavReply> {
    const person = await this.person(request, uid);
    const [, size, format] = FILE_NAME.exec(file) ?? [];
    if (!size || Number(size) > MOST_PIXELS_OVER_DAV)
      throw new DavFailure('method-not-allowed', 'File format not allowed');
    const shown = person && (await this.avatars.uploaded(person, Number(size), format as AvatarFormat));
    const reply = shown && (await pictureReply(request, shown));
    if (!reply) throw new DavFailure('not-found', 'There is no picture of this user');
    return reply;
  }

  @Get(['avatar/:user/:size', 'index.php/avatar/:user/:size'])
  async show(
    @Req() request: FastifyRequest,
    @Param('user') uid: string,
    @Param('size') size: string,
  ): Promise<DavReply> {
    const person = await this.person(request, uid);
    const isNamed = differencesOf(this.policy.compatibility).missingAvatarIsName;
    if (!person) return isNamed ? nameReply('') : jsonReply(404, []);
    const own = await this.custom(request, person, pixelsOf(size));
    if (own) return own;
    return isNamed ? nameReply(person.displayName) : this.generated(request, person, pixelsOf(size), false);
  }

  /** For pages with a dark background. */
  @Get(['avatar/:user/:size/dark', 'index.php/avatar/:user/:size/dark'])
  async showDark(
    @Req() request: FastifyRequest,
    @Param('user') uid: string,
    @Param('size') size: string,
  ): Promise<DavReply> {
    const person = await this.person(request, uid);
    if (!person) return jsonReply(404, []);
    const own = await this.custom(request, person, pixelsOf(size));
    return own ?? this.generated(request, person, pixelsOf(size), true);
  }

  private async custom(request: FastifyRequest, person: Person, size: number): Promise<DavReply | undefined> {
    const shown = await this.avatars.uploaded(person, size);
    return shown && pictureReply(request, shown, { 'x-nc-iscustomavatar': 1 });
  }

  private async generated(
    request: FastifyRequest,
    person: Person,
    size: number,
    isDark: boolean,
  ): Promise<DavReply> {
    const shown = this.avatars.initials(person, size, isDark);
    return (await pictureReply(request, shown, { 'x-nc-iscustomavatar': 0 })) ?? jsonReply(404, []);
  }

  /** undefined for accounts that the caller may not know about, and for all if avatars are turned off. */
  private async person(request: FastifyRequest, uid: string): Promise<Person | undefined> {
    await assertInService(this.policy);
    if (!(await this.policy.current()).avatars) return undefined;
    return findPerson(this.people, identityOf(request), uid);
  }
}

function pixelsOf(text: string): number {
  const size = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return size === 0 ? DEFAULT_PIXELS : Math.min(size, MOST_PIXELS);
}

/** Pages of ownCloud make a picture from the name themselves. */
const nameReply = (displayname: string): DavReply => jsonReply(200, { data: { displayname } });
