import { Controller, Delete, Get, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  AppPasswords,
  appPasswordOf,
  choiceOfClient,
  RequireScope,
  identityOf,
  sessionOf,
  strengthOf,
} from '#identity';
import { OcsFailure, OcsGuard, ocsPaths, ok, type OcsReply } from '#ocs/http';
import { Describe } from '#platform';

const FORBIDDEN = 403;

/** Calls of Nextcloud's clients about their own app password. */
@Controller(ocsPaths('core'))
@UseGuards(OcsGuard)
export class AppPasswordController {
  constructor(private readonly appPasswords: AppPasswords) {}

  /** Browsers send their session with links of any page, so a session is not accepted here. */
  @Get('getapppassword')
  @RequireScope('sign-in')
  @Describe('Makes an app password for files and sharing, for a client that has the main password.')
  async create(@Req() request: FastifyRequest): Promise<OcsReply> {
    if (sessionOf(request)) throw new OcsFailure(FORBIDDEN, 'Send the password with this call');
    const choice = choiceOfClient(request.headers['user-agent']);
    const { secret } = await this.appPasswords.create(identityOf(request).uid, choice, strengthOf(request));
    return ok({ apppassword: secret });
  }

  @Delete('apppassword')
  @RequireScope('app-password')
  @Describe('Revokes the app password of this call.')
  async revoke(@Req() request: FastifyRequest): Promise<OcsReply> {
    const { uid, id } = ownAppPassword(request);
    await this.appPasswords.revoke(uid, id);
    return ok();
  }

  @Post('apppassword/rotate')
  @RequireScope('app-password')
  @Describe('Replaces the app password of this call by a new one.')
  async rotate(@Req() request: FastifyRequest): Promise<OcsReply> {
    return ok({ apppassword: await this.appPasswords.rotate(ownAppPassword(request)) });
  }
}

/** @throws OcsFailure */
function ownAppPassword(request: FastifyRequest): { readonly uid: string; readonly id: number } {
  const appPassword = appPasswordOf(request);
  if (!appPassword) throw new OcsFailure(FORBIDDEN, 'No app password in use');
  return appPassword;
}
