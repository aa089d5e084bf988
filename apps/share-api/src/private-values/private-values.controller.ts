import { Controller, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope, identityOf } from '#identity';
import { OcsGuard, OcsInput, ocsPaths, ok, type OcsReply } from '#ocs/http';
import { text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { PrivateValues } from './private-values';

const WRITE = { value: text('The new value.') };

/** Values that clients store for their users, in the form that clients of ownCloud know; users see and change their own. */
@Controller(ocsPaths('privatedata'))
@UseGuards(OcsGuard)
@RequireScope('account')
export class PrivateValuesController {
  constructor(private readonly values: PrivateValues) {}

  @Get('getattribute')
  @Describe('All values of the caller.')
  async readOfAllApps(@Req() request: FastifyRequest): Promise<OcsReply> {
    return this.find(request);
  }

  @Get('getattribute/:app')
  @Describe('Values of an app.')
  async readAll(@Req() request: FastifyRequest, @Param('app') app: string): Promise<OcsReply> {
    return this.find(request, app);
  }

  @Get('getattribute/:app/:key')
  @Describe('One value of an app, as a list; an empty list if there is none.')
  async read(
    @Req() request: FastifyRequest,
    @Param('app') app: string,
    @Param('key') key: string,
  ): Promise<OcsReply> {
    return this.find(request, app, key);
  }

  @Post('setattribute/:app/:key')
  @Describe('Stores a value, and replaces the old one.')
  async write(
    @Req() request: FastifyRequest,
    @Param('app') app: string,
    @Param('key') key: string,
    @OcsInput(WRITE) { value = '' }: InputOf<typeof WRITE>,
  ): Promise<OcsReply> {
    await this.values.keep(identityOf(request).uid, { app, key, value });
    return ok();
  }

  @Post('deleteattribute/:app/:key')
  @Describe('Removes a value.')
  async remove(
    @Req() request: FastifyRequest,
    @Param('app') app: string,
    @Param('key') key: string,
  ): Promise<OcsReply> {
    await this.values.remove(identityOf(request).uid, app, key);
    return ok();
  }

  private async find(request: FastifyRequest, ...names: string[]): Promise<OcsReply> {
    const found = await this.values.find(identityOf(request).uid, ...names);
    return ok(found.map(({ app, key, value }) => ({ key, app, value })));
  }
}
