import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { filtered, float8, int8, type RowOf, text } from '../../postgres-types';
import { statement } from '../../statement';
import { MOUNTED } from '../../received-states';

/** Figures of messages to all partners together. */
const DELIVERY_FIGURES = {
  pending: int8,
  queued: int8,
  inflight: int8,
  /** Given up, and not sent again yet. */
  dead: int8,
  /** Partners that get no messages until a later time: their breaker is open, or their rate is exhausted. */
  parked: int8,
  /** Partners whose breaker is open after repeated failures. */
  broken: int8,
  /** Partners whose files are not requested, because they did not answer. */
  contentShut: int8,
  /** Received shares whose content is not requested, although their partners answer. */
  sharesShut: int8,
  /** Partners that an operator has paused. */
  paused: int8,
};
export type DeliveryFigures = RowOf<typeof DELIVERY_FIGURES>;

/** The age of the oldest undelivered message to a partner. */
const WAITING_PARTNER = {
  host: text,
  seconds: float8,
};
export type WaitingPartner = RowOf<typeof WAITING_PARTNER>;

/** Number of messages that a partner refused within the last day. */
const REFUSING_PARTNER = {
  host: text,
  messages: int8,
};
export type RefusingPartner = RowOf<typeof REFUSING_PARTNER>;

const FIGURES = statement({
  name: 'delivery_figures.all',
  row: DELIVERY_FIGURES,
  sql: `SELECT
     (SELECT count(*) FROM outbox_message WHERE state = 'pending') AS pending,
     (SELECT count(*) FROM outbox_message WHERE state = 'queued') AS queued,
     (SELECT count(*) FROM outbox_message WHERE state = 'inflight') AS inflight,
     (SELECT count(*) FROM outbox_message WHERE state = 'dead') AS dead,
     (SELECT count(*) FROM peer WHERE parked_until > now()) AS parked,
     (SELECT count(*) FROM peer WHERE (gate #>> '{breaker,openUntilMs}')::double precision > extract(epoch FROM now()) * 1000) AS broken,
     (SELECT count(*) FROM peer WHERE content_shut_until IS NOT NULL) AS "contentShut",
     (SELECT count(*) FROM received_share WHERE content_shut_until IS NOT NULL AND state IN ${MOUNTED}) AS "sharesShut",
     (SELECT count(*) FROM peer WHERE paused) AS paused`,
});
/** The longest waiting partners only: partners are unlimited, but metric series must not be. */
const WAITING = statement({
  name: 'delivery_figures.waiting',
  params: { limit: int8 },
  row: WAITING_PARTNER,
  sql: `SELECT p.host_key AS host, extract(epoch FROM now() - min(m.created_at))::double precision AS seconds
   FROM outbox_message m JOIN peer p ON p.id = m.peer_id
   WHERE m.state IN ('pending', 'queued', 'inflight') GROUP BY p.id ORDER BY min(m.created_at) LIMIT :limit`,
});

/** Refused messages are stored for longer than a day. */
const REFUSING = statement({
  name: 'delivery_figures.refusing',
  params: { limit: int8 },
  row: REFUSING_PARTNER,
  sql: `SELECT p.host_key AS host, count(*) AS messages
   FROM outbox_message m JOIN peer p ON p.id = m.peer_id
   WHERE m.state = 'refused' AND m.finished_at > now() - interval '1 day'
   GROUP BY p.id ORDER BY count(*) DESC, p.id LIMIT :limit`,
});

const FAILING_CLASS = { errorClass: filtered(text), messages: int8 };
type FailingClass = RowOf<typeof FAILING_CLASS>;
const FAILING = statement({
  name: 'delivery_figures.failing',
  row: FAILING_CLASS,
  sql: `SELECT error_class AS "errorClass", count(*) AS messages FROM outbox_message
   WHERE state IN ('pending', 'dead') AND error_class IS NOT NULL GROUP BY error_class ORDER BY count(*) DESC, error_class`,
});
const PARTNER_STATE = { trust: text, partners: int8 };
type PartnerState = RowOf<typeof PARTNER_STATE>;
/** Counts each host once, however many addresses it has. */
const PARTNERS = statement({
  name: 'delivery_figures.partners',
  row: PARTNER_STATE,
  sql: 'SELECT trust, count(*) AS partners FROM peer WHERE host_id = id GROUP BY trust ORDER BY trust',
});

/** Figures of deliveries, for monitoring. Only open and given-up messages are counted, not all older ones. */
@Injectable()
export class DeliveryFiguresRepository {
  constructor(private readonly database: Database) {}

  async figures(): Promise<DeliveryFigures> {
    return (await this.database.rows(FIGURES))[0]!;
  }

  /** Messages that wait or were given up, by the class of their last failure. */
  failing(): Promise<FailingClass[]> {
    return this.database.rows(FAILING);
  }

  /** Number of partners by trust. */
  partners(): Promise<PartnerState[]> {
    return this.database.rows(PARTNERS);
  }

  /** The partners with the oldest undelivered messages, oldest first. */
  waiting(limit: number): Promise<WaitingPartner[]> {
    return this.database.rows(WAITING, { limit });
  }

  /** The partners that refused the most messages within the last day, most first. */
  refusing(limit: number): Promise<RefusingPartner[]> {
    return this.database.rows(REFUSING, { limit });
  }
}
