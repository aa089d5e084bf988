import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { statement } from '../../statement';

/** How the messages to partners stand, all partners together. */
export interface DeliveryFigures {
  readonly pending: number;
  readonly queued: number;
  readonly inflight: number;
  /** Given up, and not replayed yet. */
  readonly dead: number;
  /** Partners that get nothing until a moment to come: their breaker is open, or they are over their rate. */
  readonly parked: number;
  /** Those of them whose breaker is open: they failed again and again. */
  readonly broken: number;
  /** Partners whose files are not asked for: they did not answer. */
  readonly contentShut: number;
  /** Partners that an operator has paused. */
  readonly paused: number;
}

/** The age of the oldest message that a partner has not had yet. */
export interface WaitingPartner {
  readonly host: string;
  readonly seconds: number;
}

const FIGURES = statement<DeliveryFigures>(
  'delivery_figures.all',
  `SELECT
     (SELECT count(*) FROM outbox_message WHERE state = 'pending') AS pending,
     (SELECT count(*) FROM outbox_message WHERE state = 'queued') AS queued,
     (SELECT count(*) FROM outbox_message WHERE state = 'inflight') AS inflight,
     (SELECT count(*) FROM outbox_message WHERE state = 'dead') AS dead,
     (SELECT count(*) FROM peer WHERE parked_until > now()) AS parked,
     (SELECT count(*) FROM peer WHERE (gate #>> '{breaker,openUntilMs}')::double precision > extract(epoch FROM now()) * 1000) AS broken,
     (SELECT count(*) FROM peer WHERE content_shut_until IS NOT NULL) AS "contentShut",
     (SELECT count(*) FROM peer WHERE paused) AS paused`,
);
/** Those that wait longest: the number of partners bounds nothing, that of series must be. */
const WAITING = statement<WaitingPartner>(
  'delivery_figures.waiting',
  `SELECT p.host_key AS host, extract(epoch FROM now() - min(m.created_at))::double precision AS seconds
   FROM outbox_message m JOIN peer p ON p.id = m.peer_id
   WHERE m.state IN ('pending', 'queued', 'inflight') GROUP BY p.id ORDER BY min(m.created_at) LIMIT $1`,
);

/** Figures of deliveries, for monitoring: the open and given-up messages are counted, not all that ever were. */
@Injectable()
export class DeliveryFiguresRepository {
  constructor(private readonly database: Database) {}

  async figures(): Promise<DeliveryFigures> {
    return (await this.database.rows(FIGURES))[0]!;
  }

  /** The partners with the oldest undelivered messages, oldest first. */
  waiting(limit: number): Promise<WaitingPartner[]> {
    return this.database.rows(WAITING, [limit]);
  }
}
