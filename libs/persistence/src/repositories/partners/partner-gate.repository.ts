import { ERROR_CLASSES, FAILURES } from '#federation/protocol';
import type { Queryable } from '../../database';
import { array, bool, int4, int8 } from '../../postgres-types';
import { statement } from '../../statement';

/** Trouble with a received share or its partner, which did not answer lately. */
export interface PartnerTrouble {
  /** Milliseconds until its files may be requested again; 0 or less if one request may try now; null if no gate is shut. */
  readonly shutMs: number | null;
  /** Whether the gate of the partner's host is shut, or waits for a first request. */
  readonly isHostShut: boolean;
  /** Whether the gate of the share itself is shut, or waits for a first request. */
  readonly isShareShut: boolean;
  /** Whether requests for files of the share or of its partner have failed since the last answer. */
  readonly contentFails: boolean;
  /** Whether the partner gets no messages at the moment. */
  readonly messagesShut: boolean;
}

const NOW_MS = 'extract(epoch FROM now()) * 1000';
const MESSAGES_OPEN_AT = `(host.gate #>> '{breaker,openUntilMs}')::double precision`;

/** The hosts of partners. All addresses of a host use its gates. */
const HOST = '(SELECT host_id FROM peer WHERE id = :id)';
const HOSTS = '(SELECT host_id FROM peer WHERE id = ANY(:peerIds::bigint[]))';
/**
 * Column `trouble` for a statement that joins a received share as `r` and its partner's host as `host`: a PartnerTrouble,
 * null if there is none.
 */
export const TROUBLE = `CASE WHEN host.content_failures > 0 OR r.content_failures > 0 OR ${MESSAGES_OPEN_AT} IS NOT NULL THEN jsonb_build_object(
     'shutMs', ceil(extract(epoch FROM greatest(host.content_shut_until, r.content_shut_until) - now()) * 1000),
     'isHostShut', host.content_shut_until IS NOT NULL, 'isShareShut', r.content_shut_until IS NOT NULL,
     'contentFails', host.content_failures > 0 OR r.content_failures > 0,
     'messagesShut', coalesce(${MESSAGES_OPEN_AT} > ${NOW_MS}, false)) END AS trouble`;

/** Whether one of the gates of the host `host` is shut, or waits for a first request. */
export const IS_SHUT = `(host.content_shut_until IS NOT NULL OR ${MESSAGES_OPEN_AT} IS NOT NULL)`;

/** Whether partners at the host `host` get no messages at the moment: an operator paused it, or its breaker is open. */
export const GETS_NO_MESSAGES = `(host.paused OR coalesce(${MESSAGES_OPEN_AT} > ${NOW_MS}, false))`;

/** Initial `delivery_state` and `delivery_next_attempt` of a new share for a partner at the host `host`. */
export const FIRST_DELIVERY = `CASE WHEN ${GETS_NO_MESSAGES} THEN 'retrying' ELSE 'pending' END,
       CASE WHEN ${MESSAGES_OPEN_AT} > ${NOW_MS} THEN to_timestamp(${MESSAGES_OPEN_AT} / 1000) END`;

/** In seconds. The pause doubles with every failure, and is up to a tenth shorter so that partners are not tried together. */
const FIRST_PAUSE_S = 5;
const LONGEST_PAUSE_S = 60;
/** Longer than a probe takes. */
const PROBE_S = 15;
/** If the partner failed this recently, success of another request does not open the gate. */
const SETTLED_S = 5;

/** A gate of content: for a received share, or for a partner's host with all its addresses. */
interface ContentGate {
  readonly table: 'received_share' | 'peer';
  /** Its row, by the id of the received share or of the partner. */
  readonly row: string;
}
const OF_SHARE: ContentGate = { table: 'received_share', row: ':id' };
const OF_HOST: ContentGate = { table: 'peer', row: HOST };

/**
 * Simultaneous requests fail together, so they count as one failure, at most one per second. A request without an answer in time shuts an
 * open gate nevertheless: a shorter one may have failed in the meantime.
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
/** Failures that mean that a partner is away, or is no partner at the moment. */
const AWAY = ERROR_CLASSES.filter((failure) => FAILURES[failure].endsWithSign);
/** Messages that waited because of the partner's failures become due; messages that the partner itself delayed stay. */
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
 * The gates of partners, and their effect on one another. The gate of messages is stored with their attempts; the
 * gates of content are stored here:
 * of each received share, and of the host. One quick failure is ignored, the next one shuts the gate.
 */
export class PartnerGateRepository {
  constructor(private readonly database: Queryable) {}

  /**
   * Notes a request for the content of a share without an answer, which may be due to a third server.
   * @param askedMsAgo milliseconds
   * @param isSilent whether there was no answer in time: that shuts the gate at once
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

  /** The same for the partner's host: no content there is available. */
  async noteAway(peerId: number, askedMsAgo: number, isSilent: boolean): Promise<void> {
    await this.database.rows(CONTENT.away, {
      id: peerId,
      askedMsAgo: Math.ceil(askedMsAgo),
      isSilent: isSilent,
    });
  }

  /** @returns whether this caller has to find out whether the content of the share is available again */
  async claimShareProbe(receivedShareId: number): Promise<boolean> {
    return (await this.database.rows(SHARE.probe, { id: receivedShareId })).length > 0;
  }

  /** @returns whether this caller has to find out whether the partner's host is back */
  async claimProbe(peerId: number): Promise<boolean> {
    return (await this.database.rows(CONTENT.probe, { id: peerId })).length > 0;
  }

  /** Notes that the content of a share was read. */
  async noteShareAnswer(receivedShareId: number): Promise<void> {
    await this.database.rows(SHARE.answer, { id: receivedShareId });
  }

  /** Notes that the partner's host answered, so that messages are tried, too. */
  async noteAnswer(peerId: number): Promise<void> {
    await this.database.rows(CONTENT.answer, { id: peerId });
    await this.tryMessages([peerId]);
  }

  /** Notes that the partners answer again: one message may be tried where messages are held back. */
  async tryMessages(peerIds: readonly number[]): Promise<void> {
    const tried = await this.database.rows(HALF_OPEN_MESSAGES, { peerIds });
    if (tried.length === 0) return;
    await this.bringForward(tried.map(({ id }) => id));
    await this.database.rows(WAKE_RELAYS);
  }

  /** Notes that the partners answer again: one request for content may be tried where requests are refused. */
  async tryContent(peerIds: readonly number[]): Promise<void> {
    await this.database.rows(HALF_OPEN_CONTENT, { peerIds });
  }

  /** Notes another sign of life of the partners than an answer for content or to a message. */
  async noteSign(peerIds: readonly number[]): Promise<void> {
    await this.tryMessages(peerIds);
    await this.tryContent(peerIds);
  }

  /** Makes the messages that waited for these partners due now. */
  async bringForward(peerIds: readonly number[]): Promise<void> {
    await this.database.rows(PULL_FORWARD, { peerIds });
  }
}
