import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { SelectQueryBuilder } from 'typeorm';
import { Database } from '../../database';
import { selected } from '../../selected';
import { AuditEventEntity } from '../../entities/audit/audit-event.entity';

type ActorKind = AuditEventEntity['actorKind'];
export const ACTOR_KINDS = ['user', 'partner', 'operator', 'system'] as const satisfies ActorKind[];
type AuditOutcome = AuditEventEntity['outcome'];
export const OUTCOMES = ['done', 'refused'] as const satisfies AuditOutcome[];

/** A decision or a refusal. */
export type AuditEvent = Readonly<Omit<AuditEventEntity, 'windowKey'>>;

/** Filter of the audit log; absent fields match everything. Accounts are named in any letter case, also those that are gone. */
export interface AuditFilter {
  readonly actorKind?: ActorKind;
  readonly actor?: string;
  readonly action?: string;
  readonly objectType?: string;
  readonly objectId?: string;
  readonly outcome?: AuditOutcome;
  /** From this time on. */
  readonly since?: Date;
  /** Up to this time, excluded. */
  readonly until?: Date;
}

/** Columns of an event, without the key that counts equal refusals. */
const COLUMNS = {
  id: true,
  at: true,
  actorKind: true,
  actor: true,
  action: true,
  objectType: true,
  objectId: true,
  outcome: true,
  address: true,
  requestId: true,
  attempts: true,
  detail: true,
} as const;

/** The audit log, for reading. */
@Injectable()
export class AuditLogRepository {
  constructor(
    database: Database,
    @InjectRepository(AuditEventEntity)
    private readonly events = database.reader(AuditEventEntity),
  ) {}

  /** The latest events first, with a smaller id than `before`; null for no limit. */
  async newest(filter: AuditFilter, before: number | null, limit: number): Promise<AuditEvent[]> {
    const wanted = this.wanted(filter);
    if (before !== null) wanted.andWhere('event.id < :before', { before });
    return plain(await wanted.orderBy('event.id', 'DESC').limit(limit).getMany());
  }

  /** The oldest events first, with a greater id than `after`. */
  async oldest(filter: AuditFilter, after: number, limit: number): Promise<AuditEvent[]> {
    const wanted = this.wanted(filter).andWhere('event.id > :after', { after });
    return plain(await wanted.orderBy('event.id').limit(limit).getMany());
  }

  private wanted({
    actor,
    objectId,
    since,
    until,
    ...equal
  }: AuditFilter): SelectQueryBuilder<AuditEventEntity> {
    const where = Object.fromEntries(Object.entries(equal).filter(([, value]) => value !== undefined));
    const query = this.events.createQueryBuilder('event').setFindOptions({ select: COLUMNS, where });
    if (actor !== undefined) query.andWhere(`(${BY_ACTOR})`, { actor });
    if (objectId !== undefined) query.andWhere(`(${aboutObject(equal.objectType)})`, { objectId });
    if (since) query.andWhere('event.at >= :since', { since });
    if (until) query.andWhere('event.at < :until', { until });
    return query;
  }
}

/** The index has the folded names of all actors. */
const BY_ACTOR = `lower(event.actor) = lower(:actor) AND (event.actorKind = 'user' OR event.actor = :actor)`;

/** An index has the folded ids of accounts, and another one the ids of each type. */
function aboutObject(type: string | undefined): string {
  const exact = 'event.objectId = :objectId';
  const folded = 'lower(event.objectId) = lower(:objectId)';
  if (type === undefined) return `${exact} OR event.objectType = 'account' AND ${folded}`;
  return type === 'account' ? folded : exact;
}

const plain = (events: readonly AuditEventEntity[]): AuditEvent[] =>
  events.map((event) => selected(COLUMNS, event));
