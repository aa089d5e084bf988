import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { defaultPreference, identityOf, UserAccounts } from '#identity';
import { OcsInput, ocsPaths, OcsGuard, ok, type OcsReply } from '#ocs/http';
import { text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';

const WRITE = { value: text('The new value.') };

/** Preferences of users, such as accepting shares by hand; each user sees and changes their own. */
@Controller(ocsPaths('apps/provisioning_api/api/v1/config/users/:app/:key'))
@UseGuards(OcsGuard)
export class PreferencesController {
  constructor(private readonly users: UserAccounts) {}

  @Get()
  @Describe('Reads a preference of the caller.')
  read(@Req() request: FastifyRequest, @Param('app') app: string, @Param('key') key: string): OcsReply {
    const fallback = defaultPreference(app, key);
    return ok({ data: identityOf(request).preferences[`${app}/${key}`] ?? fallback });
  }

  @Post()
  @Describe('Changes a preference of the caller.')
  async write(
    @Req() request: FastifyRequest,
    @Param('app') app: string,
    @Param('key') key: string,
    @OcsInput(WRITE) { value = '' }: InputOf<typeof WRITE>,
  ): Promise<OcsReply> {
    await this.users.setPreference(identityOf(request).uid, app, key, value);
    return ok();
  }

  @Delete()
  @Describe('Resets a preference of the caller to its default.')
  async reset(
    @Req() request: FastifyRequest,
    @Param('app') app: string,
    @Param('key') key: string,
  ): Promise<OcsReply> {
    await this.users.setPreference(identityOf(request).uid, app, key, defaultPreference(app, key));
    return ok();
  }
}
