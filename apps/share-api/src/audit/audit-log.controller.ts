import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { assertAdministrator, OcsInput, ocsPaths, OcsGuard, type OcsReply } from '#ocs/http';
import type { InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { AuditLog } from './audit-log';
import { auditQueryOf, READ_AUDIT_LOG } from './audit-query';

/** Decisions and their actors, for administrators. */
@Controller(ocsPaths('apps/audit/api/v1/events'))
@UseGuards(OcsGuard)
export class AuditLogController {
  constructor(private readonly log: AuditLog) {}

  @Get()
  @Describe('Reads the audit log, the latest events first; for administrators.')
  async read(
    @Req() request: FastifyRequest,
    @OcsInput(READ_AUDIT_LOG) input: InputOf<typeof READ_AUDIT_LOG>,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    return this.log.page(auditQueryOf(input));
  }
}
