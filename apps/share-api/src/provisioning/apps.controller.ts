import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { identityOf } from '#identity';
import { OcsInput, ocsPaths, OcsFailure, OcsGuard, ok, type OcsReply } from '#ocs/http';
import { OCS, text, type InputOf } from '#ocs/protocol';
import { Describe, PRODUCT_VERSION } from '#platform';
import { assertAdmin } from './rights';

/** Parts of this product, with the app names that tools look for; none can be turned off here. */
const APPS = ['dav', 'files', 'files_sharing', 'provisioning_api'];
const CANNOT_BE_DISABLED = 101;

const LIST = { filter: text('Only enabled, or only disabled parts.', { enum: ['enabled', 'disabled'] }) };

@Controller(ocsPaths('cloud/apps'))
@UseGuards(OcsGuard)
export class AppsController {
  @Get()
  @Describe('Lists the parts of this server; for administrators.')
  list(@Req() request: FastifyRequest, @OcsInput(LIST) { filter }: InputOf<typeof LIST>): OcsReply {
    assertAdmin(identityOf(request));
    return ok({ apps: filter === 'disabled' ? [] : APPS });
  }

  @Get(':app')
  @Describe('Reads a part of this server; for administrators.')
  read(@Req() request: FastifyRequest, @Param('app') app: string): OcsReply {
    assertAdmin(identityOf(request));
    assertKnown(app);
    return ok({ id: app, version: PRODUCT_VERSION, enabled: 'true' });
  }

  @Post(':app')
  @Describe('Does nothing: every part is enabled; for administrators.')
  enable(@Req() request: FastifyRequest, @Param('app') app: string): OcsReply {
    assertAdmin(identityOf(request));
    assertKnown(app);
    return ok();
  }

  @Delete(':app')
  @Describe('Always refused, because no part can be disabled; for administrators.')
  disable(@Req() request: FastifyRequest, @Param('app') app: string): OcsReply {
    assertAdmin(identityOf(request));
    assertKnown(app);
    throw new OcsFailure(CANNOT_BE_DISABLED, `${app} is a part of this server and cannot be disabled`);
  }
}

function assertKnown(app: string): void {
  if (!APPS.includes(app)) throw new OcsFailure(OCS.NOT_FOUND, 'The request app was not found');
}
