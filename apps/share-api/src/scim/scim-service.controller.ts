import { Controller, ForbiddenException, Get, Param, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { resourceTypesAt, ScimFailed, scimListOf, schemasAt, serviceProviderConfigAt } from '#identity';
import { Describe } from '#platform';
import { SCIM_ANSWERS } from './scim-descriptions';
import { ScimReply } from './scim-reply';
import { queryOf } from './scim-request';
import { scimCallOf, ScimGuard } from './scim.guard';

type Described = readonly Readonly<Record<string, unknown>>[];

/** Documents about the service (RFC 7644, section 4). */
@Controller('scim/v2')
@UseGuards(ScimGuard)
export class ScimServiceController {
  @Get('ServiceProviderConfig')
  @Describe('Reads the configuration of the service.', { answers: { 200: 'The configuration.' } })
  config(@Req() request: FastifyRequest): ScimReply {
    return new ScimReply(200, serviceProviderConfigAt(scimCallOf(request).base));
  }

  @Get('Schemas')
  @Describe('Lists the schemas.', { answers: { 200: 'The schemas.' } })
  schemas(@Req() request: FastifyRequest): ScimReply {
    return all(request, schemasAt(scimCallOf(request).base));
  }

  @Get('Schemas/:id')
  @Describe('Reads a schema.', { answers: SCIM_ANSWERS.read })
  schema(@Req() request: FastifyRequest, @Param('id') id: string): ScimReply {
    return one(schemasAt(scimCallOf(request).base), id);
  }

  @Get('ResourceTypes')
  @Describe('Lists the kinds of resources.', { answers: { 200: 'The kinds.' } })
  resourceTypes(@Req() request: FastifyRequest): ScimReply {
    return all(request, resourceTypesAt(scimCallOf(request).base));
  }

  @Get('ResourceTypes/:id')
  @Describe('Reads a kind of resource.', { answers: SCIM_ANSWERS.read })
  resourceType(@Req() request: FastifyRequest, @Param('id') id: string): ScimReply {
    return one(resourceTypesAt(scimCallOf(request).base), id);
  }
}

/** A filter is refused here, so that no client takes the whole list for the filtered one (RFC 7644, section 4). */
function all(request: FastifyRequest, documents: Described): ScimReply {
  if (queryOf(request).filter !== undefined) throw new ForbiddenException('These lists take no filter');
  return new ScimReply(200, scimListOf(documents.length, 1, documents));
}

function one(documents: Described, id: string): ScimReply {
  const found = documents.find((document) => document.id === id);
  if (!found) throw new ScimFailed(404, 'There is no such document');
  return new ScimReply(200, found);
}
