import { Controller, Delete, Get, Param, Put, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { assertAdministrator, ocsPaths, OcsFailure, OcsGuard, ok, type OcsReply } from '#ocs/http';
import type { OcsValue } from '#ocs/protocol';
import { Describe } from '#platform';
import { CapabilityRegistry, EntryRefused } from '#settings';

const CODES = { unknown: 404, reserved: 409, invalid: 400 } as const;

/** Manages other apps' entries in the capabilities; for administrators. */
@Controller(ocsPaths('cloud/capabilities/entries/:app'))
@UseGuards(OcsGuard)
export class CapabilityEntriesController {
  constructor(private readonly registry: CapabilityRegistry) {}

  @Get()
  @Describe('Reads the capability entry of another app; for administrators.')
  async read(@Req() request: FastifyRequest, @Param('app') app: string): Promise<OcsReply> {
    assertAdministrator(request);
    return ok((await refusing(() => this.registry.get(app))) as OcsValue);
  }

  @Put()
  @Describe('Stores the capability entry of another app; for administrators.', { body: { type: 'object' } })
  async write(@Req() request: FastifyRequest, @Param('app') app: string): Promise<OcsReply> {
    assertAdministrator(request);
    await refusing(() => this.registry.set(app, jsonBodyOf(request)));
    return ok();
  }

  @Delete()
  @Describe('Removes the capability entry of another app; for administrators.')
  async remove(@Req() request: FastifyRequest, @Param('app') app: string): Promise<OcsReply> {
    assertAdministrator(request);
    await refusing(() => this.registry.remove(app));
    return ok();
  }
}

/** The entry is the JSON body itself; undefined without a body. */
function jsonBodyOf(request: FastifyRequest): unknown {
  if (!Buffer.isBuffer(request.body)) return undefined;
  try {
    return JSON.parse(request.body.toString('utf8'));
  } catch {
    throw new OcsFailure(400, 'The request body is not valid JSON');
  }
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EntryRefused)) throw error;
    throw new OcsFailure(CODES[error.reason], error.message);
  }
}
