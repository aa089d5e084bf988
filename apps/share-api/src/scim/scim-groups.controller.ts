import { Controller, Delete, Get, Param, Patch, Post, Put, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { parseProjection, parseQuery, ScimGroups } from '#identity';
import { Describe } from '#platform';
import { answered, bodyOf, listed, preconditionOf, queryOf, shown } from './scim-request';
import { SCIM_ANSWERS, SCIM_BODY, SCIM_QUERY } from './scim-descriptions';
import { ScimReply } from './scim-reply';
import { scimCallOf, ScimGuard } from './scim.guard';

/** Groups of a SCIM client (RFC 7644, section 3). */
@Controller('scim/v2/Groups')
@UseGuards(ScimGuard)
export class ScimGroupsController {
  constructor(private readonly groups: ScimGroups) {}

  @Get()
  @Describe('Lists the groups of the client.', { query: SCIM_QUERY, answers: SCIM_ANSWERS.list })
  async list(@Req() request: FastifyRequest): Promise<ScimReply> {
    const given = queryOf(request);
    const projection = parseProjection(given);
    return listed(await this.groups.list(scimCallOf(request), parseQuery(given)), projection);
  }

  @Post('.search')
  @Describe('Lists the groups of the client, by a query in the body.', {
    ...SCIM_BODY,
    answers: SCIM_ANSWERS.list,
  })
  async search(@Req() request: FastifyRequest): Promise<ScimReply> {
    const given = await bodyOf(request);
    const projection = parseProjection(given);
    return listed(await this.groups.list(scimCallOf(request), parseQuery(given)), projection);
  }

  @Post()
  @Describe('Makes a group.', { ...SCIM_BODY, answers: SCIM_ANSWERS.create })
  async create(@Req() request: FastifyRequest): Promise<ScimReply> {
    const projection = parseProjection(queryOf(request));
    return answered(201, await this.groups.create(scimCallOf(request), await bodyOf(request)), projection);
  }

  @Get(':id')
  @Describe('Reads a group.', { answers: SCIM_ANSWERS.read })
  async read(@Req() request: FastifyRequest, @Param('id') id: string): Promise<ScimReply> {
    return shown(request, await this.groups.read(scimCallOf(request), id));
  }

  @Put(':id')
  @Describe('Replaces a group.', { ...SCIM_BODY, answers: SCIM_ANSWERS.change })
  async replace(@Req() request: FastifyRequest, @Param('id') id: string): Promise<ScimReply> {
    const projection = parseProjection(queryOf(request));
    const body = await bodyOf(request);
    const changed = await this.groups.replace(scimCallOf(request), id, body, preconditionOf(request));
    return answered(200, changed, projection);
  }

  @Patch(':id')
  @Describe('Changes parts of a group.', { ...SCIM_BODY, answers: SCIM_ANSWERS.change })
  async patch(@Req() request: FastifyRequest, @Param('id') id: string): Promise<ScimReply> {
    const projection = parseProjection(queryOf(request));
    const body = await bodyOf(request);
    const changed = await this.groups.patch(scimCallOf(request), id, body, preconditionOf(request));
    return answered(200, changed, projection);
  }

  @Delete(':id')
  @Describe('Removes a group.', { answers: SCIM_ANSWERS.remove })
  async remove(@Req() request: FastifyRequest, @Param('id') id: string): Promise<ScimReply> {
    await this.groups.remove(scimCallOf(request), id, preconditionOf(request));
    return new ScimReply(204);
  }
}
