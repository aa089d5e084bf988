import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { defaultPreference, identityOf, UserAccounts } from '#identity';
import { ocsPaths, OcsGuard, ok, parametersOf, type OcsReply } from '#ocs/http';

/** What users decide for themselves, such as whether they accept shares by hand; each sees and changes his own. */
@Controller(ocsPaths('apps/provisioning_api/api/v1/config/users/:app/:key'))
@UseGuards(OcsGuard)
export class PreferencesController {
  constructor(private readonly users: UserAccounts) {}

  @Get()
  read(@Req() request: FastifyRequest, @Param('app') app: string, @Param('key') key: string): OcsReply {
    const fallback = defaultPreference(app, key);
    return ok({ data: identityOf(request).preferences[`${app}/${key}`] ?? fallback });
  }

  @Post()
  async write(
    @Req() request: FastifyRequest,
    @Param('app') app: string,
    @Param('key') key: string,
  ): Promise<OcsReply> {
    const value = parametersOf(request).text('value') ?? '';
    await this.users.setPreference(identityOf(request).uid, app, key, value);
    return ok();
  }

  @Delete()
  async reset(
    @Req() request: FastifyRequest,
    @Param('app') app: string,
    @Param('key') key: string,
  ): Promise<OcsReply> {
    await this.users.setPreference(identityOf(request).uid, app, key, defaultPreference(app, key));
    return ok();
  }
}
