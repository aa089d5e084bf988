import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { assertAdministrator, OcsInput, ocsPaths, OcsFailure, OcsGuard, ok, type OcsReply } from '#ocs/http';
import { needed, text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { RuntimeSettings, SettingRefused } from '#settings';

const WRITE = { value: needed(text('The new value.')) };

/** Run-time settings; for administrators. */
@Controller(ocsPaths('apps/provisioning_api/api/v1/config/apps/:app/:key'))
@UseGuards(OcsGuard)
export class SettingsController {
  constructor(private readonly settings: RuntimeSettings) {}

  @Get()
  @Describe('Reads a setting; for administrators.')
  async read(
    @Req() request: FastifyRequest,
    @Param('app') app: string,
    @Param('key') key: string,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    return ok({ data: await refusing(() => this.settings.get(app, key)) });
  }

  @Post()
  @Describe('Changes a setting; for administrators.')
  async write(
    @Req() request: FastifyRequest,
    @Param('app') app: string,
    @Param('key') key: string,
    @OcsInput(WRITE) { value }: InputOf<typeof WRITE>,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    if (value === undefined) throw new OcsFailure(400, 'Please give a value');
    await refusing(() => this.settings.set(app, key, value));
    return ok();
  }

  @Delete()
  @Describe('Resets a setting to its default; for administrators.')
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
