import { Injectable } from '@nestjs/common';
import { ok, type OcsReply } from '#ocs/http';
import type { OcsValue } from '#ocs/protocol';
import { AuditLogRepository, type AuditEvent } from '#persistence';
import type { AuditQuery } from './audit-query';

/** Header with the start of the next page; absent on the last one. */
const NEXT_CURSOR = 'x-next-cursor';

/** The audit log for administrators. */
@Injectable()
export class AuditLog {
  constructor(private readonly events: AuditLogRepository) {}

  /** A page of events, the latest first. */
  async page({ filter, before, limit }: AuditQuery): Promise<OcsReply> {
    const events = await this.events.newest(filter, before, limit + 1);
    const page = events.slice(0, limit);
    const reply = ok(page.map(recordOf));
    return events.length > limit ? reply.withHeaders({ [NEXT_CURSOR]: String(page.at(-1)!.id) }) : reply;
  }
}

/** `detail` is JSON in a text, because its fields differ between actions, and XML has no types. */
const recordOf = ({ at, detail, ...event }: AuditEvent): OcsValue => ({
  ...event,
  at: at.toISOString(),
  detail: JSON.stringify(detail),
});
