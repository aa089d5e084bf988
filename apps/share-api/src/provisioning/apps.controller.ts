import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { identityOf } from '#identity';
import { ocsPaths, OcsFailure, OcsGuard, ok, parametersOf, type OcsReply } from '#ocs/http';
import { OCS } from '#ocs/protocol';
import { PRODUCT_VERSION } from '#platform';
import { assertAdmin } from './rights';

/** The parts of this product by the names that tools look for; none can be switched off here. */
const APPS = ['dav', 'files', 'files_sharing', 'provisioning_api'];
const CANNOT_BE_DISABLED = 101;

@Controller(ocsPaths('cloud/apps'))
@UseGuards(OcsGuard)
export class AppsController {
  @Get()
  list(@Req() request: FastifyRequest): OcsReply {
    assertAdmin(identityOf(request));
    const filter = parametersOf(request).text('filter');
    return ok({ apps: filter === 'disabled' ? [] : APPS });
  }

  @Get(':app')
  read(@Req() request: FastifyRequest, @Param('app') app: string): OcsReply {
    assertAdmin(identityOf(request));
    assertKnown(app);
    return ok({ id: app, version: PRODUCT_VERSION, enabled: 'true' });
  }

  @Post(':app')
  enable(@Req() request: FastifyRequest, @Param('app') app: string): OcsReply {
    assertAdmin(identityOf(request));
    assertKnown(app);
    return ok();
  }

  @Delete(':app')
  disable(@Req() request: FastifyRequest, @Param('app') app: string): OcsReply {
    assertAdmin(identityOf(request));
    assertKnown(app);
    throw new OcsFailure(CANNOT_BE_DISABLED, `${app} is a part of this server and cannot be disabled`);
  }
}

function assertKnown(app: string): void {
  if (!APPS.includes(app)) throw new OcsFailure(OCS.NOT_FOUND, 'The request app was not found');
}
