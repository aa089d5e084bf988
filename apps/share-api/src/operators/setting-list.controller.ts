import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { assertAdministrator, OcsGuard, ocsPaths, ok, type OcsReply } from '#ocs/http';
import { Describe } from '#platform';
import { RuntimeSettings } from '#settings';
import { SETTING_MEANINGS } from '#sharing';

/** All run-time settings; for administrators. */
@Controller(ocsPaths('apps/drawbridge/api/v1/settings'))
@UseGuards(OcsGuard)
export class SettingListController {
  constructor(private readonly settings: RuntimeSettings) {}

  @Get()
  @Describe('Lists every setting with the value in force, its default and its meaning; for administrators.')
  async list(@Req() request: FastifyRequest): Promise<OcsReply> {
    assertAdministrator(request);
    const settings = await this.settings.list();
    return ok(
      settings.map(({ app, key, value, isDefault, fallback }) => ({
        app,
        key,
        value,
        is_default: isDefault,
        default: fallback,
        meaning: SETTING_MEANINGS[`${app}/${key}`] ?? '',
      })),
    );
  }
}
