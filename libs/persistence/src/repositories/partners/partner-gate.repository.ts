import type { Queryable } from '../../database';
import { statement } from '../../statement';

/** Trouble with a partner that did not answer lately. */
export interface PartnerTrouble {
  /** Milliseconds until its files may be asked for again, at most 0 when one may try now; null where nothing bars them. */
  readonly shutMs: number | null;
  /** Whether requests for its files failed since the last answer. */
  readonly contentFails: boolean;
  /** Whether it gets no messages at the moment. */
  readonly messagesShut: boolean;
}

const NOW_MS = 'extract(epoch FROM now()) * 1000';
const MESSAGES_OPEN_AT = `(host.gate #>> '{breaker,openUntilMs}')::double precision`;

/** The hosts of partners; all addresses of a host share its gates. */
const HOST = '(SELECT host_id FROM peer WHERE id = $1)';
const HOSTS = '(SELECT host_id FROM peer WHERE id = ANY($1::bigint[]))';
/** Column `trouble` for a statement that joins the row of the partner's host as `host`: a PartnerTrouble, null for a partner that is well. */
export const TROUBLE = `CASE WHEN host.content_failures > 0 OR ${MESSAGES_OPEN_AT} IS NOT NULL THEN jsonb_build_object(
     'shutMs', ceil(extract(epoch FROM host.content_shut_until - now()) * 1000), 'contentFails', host.content_failures > 0,
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

/** Requests that were under way together fail together: they count once, and one in a second at most. */
const NOTE_AWAY = statement(
  'partner_gate.note_away',
  `UPDATE peer SET content_failures = content_failures + 1, content_failed_at = now(),
     content_shut_until = CASE WHEN content_failures > 0 OR $3 THEN now() + (1 - random() / 10) * interval '1 second'
       * least(${LONGEST_PAUSE_S}, ${FIRST_PAUSE_S} * 2 ^ least(greatest(content_failures - 1, 0), 10)) END
   WHERE id = ${HOST} AND (content_failed_at IS NULL OR content_failed_at <= now() - ($2::int + 1000) * interval '1 millisecond')`,
);
const CLAIM_PROBE = statement<{ id: number }>(
  'partner_gate.claim_probe',
  `UPDATE peer SET content_shut_until = now() + interval '${PROBE_S} seconds' WHERE id = ${HOST} AND content_shut_until <= now()
   RETURNING id`,
);
const NOTE_ANSWER = statement(
  'partner_gate.note_answer',
  `UPDATE peer SET content_failures = 0, content_failed_at = NULL, content_shut_until = NULL
   WHERE id = ${HOST} AND content_failures > 0`,
);
const HALF_OPEN_MESSAGES = statement<{ id: number }>(
  'partner_gate.half_open_messages',
  `UPDATE peer host SET gate = jsonb_set(host.gate, '{breaker,openUntilMs}', to_jsonb(floor(${NOW_MS}))), parked_until = NULL
   WHERE host.id IN ${HOSTS} AND ${MESSAGES_OPEN_AT} > ${NOW_MS}
     AND coalesce((host.gate #>> '{breaker,recent,-1,atMs}')::double precision <= ${NOW_MS} - ${SETTLED_S} * 1000, true)
   RETURNING host.id`,
);
const HALF_OPEN_CONTENT = statement(
  'partner_gate.half_open_content',
  `UPDATE peer SET content_shut_until = now() WHERE id IN ${HOSTS} AND content_shut_until > now()
     AND content_failed_at <= now() - interval '${SETTLED_S} seconds'`,
);
/** Messages that waited because the partner was ill need not wait longer; those that the partner itself put off do. */
const PULL_FORWARD = statement(
  'partner_gate.pull_forward',
  `UPDATE outbox_message SET available_at = now() WHERE peer_id IN (SELECT id FROM peer WHERE host_id IN ${HOSTS}) AND state = 'pending' AND available_at > now()
     AND error_class IN ('dns', 'unknown-host', 'tls', 'certificate', 'not-listening', 'network', 'timeout', 'undiscovered')`,
);
const WAKE_RELAYS = statement(
  'partner_gate.wake_relays',
  `SELECT pg_notify('drawbridge_changes', 'outbox:')`,
);

/**
 * The two gates of partners, as far as one concerns the other. That of messages is kept with their attempts; that of
 * content is kept here: one failure that nobody had to wait for is forgiven, the next one shuts it.
 */
export class PartnerGateRepository {
  constructor(private readonly database: Queryable) {}

  /**
   * A request for content got no answer.
   * @param askedMsAgo milliseconds
   * @param isSilent whether it was waited for in vain: that shuts the gate at once
   */
  async noteAway(peerId: number, askedMsAgo: number, isSilent: boolean): Promise<void> {
    await this.database.rows(NOTE_AWAY, [peerId, Math.ceil(askedMsAgo), isSilent]);
  }

  /** @returns whether the caller is the one to find out whether the partner's files are back */
  async claimProbe(peerId: number): Promise<boolean> {
    return (await this.database.rows(CLAIM_PROBE, [peerId])).length > 0;
  }

  /** A request for content was answered, so that messages are worth a try, too. */
  async noteAnswer(peerId: number): Promise<void> {
    await this.database.rows(NOTE_ANSWER, [peerId]);
    await this.tryMessages([peerId]);
  }

  /** The partners are there: one message may try where none was sent. */
  async tryMessages(peerIds: readonly number[]): Promise<void> {
    const tried = await this.database.rows(HALF_OPEN_MESSAGES, [peerIds]);
    if (tried.length === 0) return;
    await this.bringForward(tried.map(({ id }) => id));
    await this.database.rows(WAKE_RELAYS);
  }

  /** The partners are there: one request for content may try where none was made. */
  async tryContent(peerIds: readonly number[]): Promise<void> {
    await this.database.rows(HALF_OPEN_CONTENT, [peerIds]);
  }

  /** The partners were heard of, otherwise than by an answer for content or to a message. */
  async noteSign(peerIds: readonly number[]): Promise<void> {
    await this.tryMessages(peerIds);
    await this.tryContent(peerIds);
  }

  /** Makes the messages that waited for these partners due now. */
  async bringForward(peerIds: readonly number[]): Promise<void> {
    await this.database.rows(PULL_FORWARD, [peerIds]);
  }
}
