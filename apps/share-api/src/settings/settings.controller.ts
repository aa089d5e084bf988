import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  assertAdministrator,
  ocsPaths,
  OcsFailure,
  OcsGuard,
  ok,
  parametersOf,
  type OcsReply,
} from '#ocs/http';
import { RuntimeSettings, SettingRefused } from '#settings';

/** Settings that act without a restart; for administrators. */
@Controller(ocsPaths('apps/provisioning_api/api/v1/config/apps/:app/:key'))
@UseGuards(OcsGuard)
export class SettingsController {
  constructor(private readonly settings: RuntimeSettings) {}

  @Get()
  async read(
    @Req() request: FastifyRequest,
    @Param('app') app: string,
    @Param('key') key: string,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    return ok({ data: await refusing(() => this.settings.get(app, key)) });
  }

  @Post()
  async write(
    @Req() request: FastifyRequest,
    @Param('app') app: string,
    @Param('key') key: string,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    const value = parametersOf(request).text('value');
    if (value === undefined) throw new OcsFailure(400, 'Please give a value');
    await refusing(() => this.settings.set(app, key, value));
    return ok();
  }

  @Delete()
  async reset(
    @Req() request: FastifyRequest,
    @Param('app') app: string,
    @Param('key') key: string,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    await refusing(() => this.settings.unset(app, key));
    return ok();
  }
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SettingRefused)) throw error;
    throw new OcsFailure(error.reason === 'unknown' ? 404 : 400, error.message);
  }
}
