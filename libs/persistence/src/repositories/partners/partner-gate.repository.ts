import { ERROR_CLASSES, FAILURES } from '#federation/protocol';
import type { Queryable } from '../../database';
import { array, bool, int4, int8 } from '../../postgres-types';
import { statement } from '../../statement';

/** Trouble with a received share, or with the partner that it is of, which did not answer lately. */
export interface PartnerTrouble {
  /** Milliseconds until its files may be asked for again, at most 0 when one may try now; null where nothing bars them. */
  readonly shutMs: number | null;
  /** Whether the gate of the partner's host bars them, or waits for somebody to try. */
  readonly isHostShut: boolean;
  /** Whether the gate of the share itself does. */
  readonly isShareShut: boolean;
  /** Whether requests for files of the share or of its partner failed since the last answer. */
  readonly contentFails: boolean;
  /** Whether it gets no messages at the moment. */
  readonly messagesShut: boolean;
}

const NOW_MS = 'extract(epoch FROM now()) * 1000';
const MESSAGES_OPEN_AT = `(host.gate #>> '{breaker,openUntilMs}')::double precision`;

/** The hosts of partners; all addresses of a host share its gates. */
const HOST = '(SELECT host_id FROM peer WHERE id = :id)';
const HOSTS = '(SELECT host_id FROM peer WHERE id = ANY(:peerIds::bigint[]))';
/**
 * Column `trouble` for a statement that joins a received share as `r` and the row of its partner's host as `host`: a PartnerTrouble,
 * null where all is well.
 */
export const TROUBLE = `CASE WHEN host.content_failures > 0 OR r.content_failures > 0 OR ${MESSAGES_OPEN_AT} IS NOT NULL THEN jsonb_build_object(
     'shutMs', ceil(extract(epoch FROM greatest(host.content_shut_until, r.content_shut_until) - now()) * 1000),
     'isHostShut', host.content_shut_until IS NOT NULL, 'isShareShut', r.content_shut_until IS NOT NULL,
     'contentFails', host.content_failures > 0 OR r.content_failures > 0,
     'messagesShut', coalesce(${MESSAGES_OPEN_AT} > ${NOW_MS}, false)) END AS trouble`;

/** Whether one of the gates of the host `host` is shut, or waits for somebody to try. */
export const IS_SHUT = `(host.content_shut_until IS NOT NULL OR ${MESSAGES_OPEN_AT} IS NOT NULL)`;

/** Whether partners at the host `host` get no messages at the moment: an operator paused it, or its breaker is open. */
export const GETS_NO_MESSAGES = `(host.paused OR coalesce(${MESSAGES_OPEN_AT} > ${NOW_MS}, false))`;

/** Values of `delivery_state` and `delivery_next_attempt` of a new share whose offer goes to a partner at the host `host`. */
export const FIRST_DELIVERY = `CASE WHEN ${GETS_NO_MESSAGES} THEN 'retrying' ELSE 'pending' END,
       CASE WHEN ${MESSAGES_OPEN_AT} > ${NOW_MS} THEN to_timestamp(${MESSAGES_OPEN_AT} / 1000) END`;

/** Seconds. The pause doubles with every failure, and is up to a tenth shorter so that partners are not tried together. */
const FIRST_PAUSE_S = 5;
const LONGEST_PAUSE_S = 60;
/** Longer than a probe takes. */
const PROBE_S = 15;
/** A gate whose partner failed so recently is not opened for the success of something else. */
const SETTLED_S = 5;

/** A gate of content: that of a received share, or that of a partner's host, which all its addresses share. */
interface ContentGate {
  readonly table: 'received_share' | 'peer';
  /** The row, by the id of the received share or of the partner. */
  readonly row: string;
}
const OF_SHARE: ContentGate = { table: 'received_share', row: ':id' };
const OF_HOST: ContentGate = { table: 'peer', row: HOST };

/**
 * Requests that were under way together fail together: they count once, and one in a second at most. One that was waited for without success shuts an
 * open gate all the same: a shorter one may have failed meanwhile.
 */
const noteAway = ({ table, row }: ContentGate) =>
  statement({
    name: `partner_gate.note_away_${table}`,
    params: { id: int8, askedMsAgo: int4, isSilent: bool },
    row: { isShut: bool },
    sql: `UPDATE ${table} SET content_failures = content_failures + 1, content_failed_at = now(),
     content_shut_until = CASE WHEN content_failures > 0 OR :isSilent THEN now() + (1 - random() / 10) * interval '1 second'
       * least(${LONGEST_PAUSE_S}, ${FIRST_PAUSE_S} * 2 ^ least(greatest(content_failures - 1, 0), 10)) END
   WHERE id = ${row} AND (content_failed_at IS NULL OR content_failed_at <= now() - (:askedMsAgo::int + 1000) * interval '1 millisecond'
     OR (:isSilent AND content_shut_until IS NULL))
   RETURNING content_shut_until IS NOT NULL AS "isShut"`,
  });
const claimProbe = ({ table, row }: ContentGate) =>
  statement({
    name: `partner_gate.claim_probe_${table}`,
    params: { id: int8 },
    row: { id: int8 },
    sql: `UPDATE ${table} SET content_shut_until = now() + interval '${PROBE_S} seconds' WHERE id = ${row} AND content_shut_until <= now()
   RETURNING id`,
  });
const noteAnswer = ({ table, row }: ContentGate) =>
  statement({
    name: `partner_gate.note_answer_${table}`,
    params: { id: int8 },
    sql: `UPDATE ${table} SET content_failures = 0, content_failed_at = NULL, content_shut_until = NULL
   WHERE id = ${row} AND content_failures > 0`,
  });
const SHARE = { away: noteAway(OF_SHARE), probe: claimProbe(OF_SHARE), answer: noteAnswer(OF_SHARE) };
const CONTENT = { away: noteAway(OF_HOST), probe: claimProbe(OF_HOST), answer: noteAnswer(OF_HOST) };
const HALF_OPEN_MESSAGES = statement({
  name: 'partner_gate.half_open_messages',
  params: { peerIds: array(int8) },
  row: { id: int8 },
  sql: `UPDATE peer host SET gate = jsonb_set(host.gate, '{breaker,openUntilMs}', to_jsonb(floor(${NOW_MS}))), parked_until = NULL
   WHERE host.id IN ${HOSTS} AND ${MESSAGES_OPEN_AT} > ${NOW_MS}
     AND coalesce((host.gate #>> '{breaker,recent,-1,atMs}')::double precision <= ${NOW_MS} - ${SETTLED_S} * 1000, true)
   RETURNING host.id`,
});
const HALF_OPEN_CONTENT = statement({
  name: 'partner_gate.half_open_content',
  params: { peerIds: array(int8) },
  sql: `UPDATE peer SET content_shut_until = now() WHERE id IN ${HOSTS} AND content_shut_until > now()
     AND content_failed_at <= now() - interval '${SETTLED_S} seconds'`,
});
/** Failures of a partner that is away, or is no partner at the moment. */
const AWAY = ERROR_CLASSES.filter((failure) => FAILURES[failure].endsWithSign);
/** Messages that waited because the partner was ill need not wait longer; those that the partner itself put off do. */
const PULL_FORWARD = statement({
  name: 'partner_gate.pull_forward',
  params: { peerIds: array(int8) },
  sql: `UPDATE outbox_message SET available_at = now() WHERE peer_id IN (SELECT id FROM peer WHERE host_id IN ${HOSTS}) AND state = 'pending' AND available_at > now()
     AND error_class IN (${AWAY.map((failure) => `'${failure}'`).join(', ')})`,
});
const WAKE_RELAYS = statement({
  name: 'partner_gate.wake_relays',
  sql: `SELECT pg_notify('drawbridge_changes', 'outbox:')`,
});

/**
 * The gates of partners, as far as one concerns the other. That of messages is kept with their attempts; those of content are kept here:
 * of each received share, and of the host. One failure that nobody had to wait for is forgiven, the next one shuts the gate.
 */
export class PartnerGateRepository {
  constructor(private readonly database: Queryable) {}

  /**
   * A request for the content of a share got no answer, which may be for something behind its server.
   * @param askedMsAgo milliseconds
   * @param isSilent whether it was waited for without success: that shuts the gate at once
   * @returns whether that shut the gate of the share
   */
  async noteShareAway(receivedShareId: number, askedMsAgo: number, isSilent: boolean): Promise<boolean> {
    const [gate] = await this.database.rows(SHARE.away, {
      id: receivedShareId,
      askedMsAgo: Math.ceil(askedMsAgo),
      isSilent: isSilent,
    });
    return gate?.isShut ?? false;
  }

  /** The same of the partner's host itself: nothing there can be had. */
  async noteAway(peerId: number, askedMsAgo: number, isSilent: boolean): Promise<void> {
    await this.database.rows(CONTENT.away, {
      id: peerId,
      askedMsAgo: Math.ceil(askedMsAgo),
      isSilent: isSilent,
    });
  }

  /** @returns whether the caller is the one to find out whether the content of the share is back */
  async claimShareProbe(receivedShareId: number): Promise<boolean> {
    return (await this.database.rows(SHARE.probe, { id: receivedShareId })).length > 0;
  }

  /** @returns whether the caller is the one to find out whether the partner's host is back */
  async claimProbe(peerId: number): Promise<boolean> {
    return (await this.database.rows(CONTENT.probe, { id: peerId })).length > 0;
  }

  /** The content of a share was had. */
  async noteShareAnswer(receivedShareId: number): Promise<void> {
    await this.database.rows(SHARE.answer, { id: receivedShareId });
  }

  /** The partner's host answered, so that messages are worth a try, too. */
  async noteAnswer(peerId: number): Promise<void> {
    await this.database.rows(CONTENT.answer, { id: peerId });
    await this.tryMessages([peerId]);
  }

  /** The partners are there: one message may try where none was sent. */
  async tryMessages(peerIds: readonly number[]): Promise<void> {
    const tried = await this.database.rows(HALF_OPEN_MESSAGES, { peerIds });
    if (tried.length === 0) return;
    await this.bringForward(tried.map(({ id }) => id));
    await this.database.rows(WAKE_RELAYS);
  }

  /** The partners are there: one request for content may try where none was made. */
  async tryContent(peerIds: readonly number[]): Promise<void> {
    await this.database.rows(HALF_OPEN_CONTENT, { peerIds });
  }

  /** The partners were heard of, otherwise than by an answer for content or to a message. */
  async noteSign(peerIds: readonly number[]): Promise<void> {
    await this.tryMessages(peerIds);
    await this.tryContent(peerIds);
  }

  /** Makes the messages that waited for these partners due now. */
  async bringForward(peerIds: readonly number[]): Promise<void> {
    await this.database.rows(PULL_FORWARD, { peerIds });
  }
}
