import { breakerState, type Gate } from '#federation/delivery';
import type { Database } from '../../database';
import { decision, statement } from '../../statement';

/** A partner as operators see it. */
export interface AdministeredPeer {
  readonly host: string;
  readonly trust: string;
  readonly paused: boolean;
  readonly breaker: 'closed' | 'open' | 'half-open';
  /** Until when the breaker of messages is open; null when it is closed. */
  readonly openUntil: Date | null;
  /** The same for its files: half-open when one request may find out whether they are back. */
  readonly contentBreaker: 'closed' | 'open' | 'half-open';
  readonly contentOpenUntil: Date | null;
  readonly waiting: number;
  readonly underWay: number;
  readonly dead: number;
  /** When the oldest message that waits was written. */
  readonly waitingSince: Date | null;
}

export interface PeerDetails extends AdministeredPeer {
  /** For what is given, where that differs; null where not. */
  readonly outgoingTrust: string | null;
  /** Demand on the signatures of its messages; null where the setting decides. */
  readonly signatures: string | null;
  /** Whether it is known that it signs what it sends. */
  readonly signs: boolean;
  /** Where the handshake with a trusted server stands; null where there was none. */
  readonly handshake: string | null;
  readonly handshakeNote: string | null;
  /** Choices of operators about its signatures. */
  readonly chosen: ChosenSignatures;
  readonly profile: unknown;
  readonly pinnedProfile: unknown;
  /** The host under which the partner is found now; null where that is its own. */
  readonly aliasOf: string | null;
  readonly discoveredAt: Date | null;
  readonly discoveryError: string | null;
  readonly concurrency: number;
  readonly ratePerSecond: number;
  readonly rateBurst: number;
  readonly lastDelivery: Date | null;
}

export interface ChosenSignatures {
  /** Scheme of messages to it; null where its announcements decide. */
  readonly signBy: 'cavage' | 'rfc9421' | 'none' | null;
  /** Whether signatures of its messages that cannot be read count as none. */
  readonly ignoresUnreadable: boolean;
}

type PeerListRow = Omit<AdministeredPeer, 'breaker' | 'openUntil'> & { readonly gate: Gate };
type PeerDetailRow = Omit<PeerDetails, 'breaker' | 'openUntil'> & { readonly gate: Gate };

const COUNTS = `CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE m.state = 'pending')::int AS waiting, min(m.created_at) FILTER (WHERE m.state = 'pending') AS since,
      count(*) FILTER (WHERE m.state IN ('queued', 'inflight'))::int AS under_way FROM outbox_message m
    WHERE m.peer_id = p.id AND m.state IN ('pending', 'queued', 'inflight')) open
  CROSS JOIN LATERAL (SELECT count(*)::int AS dead FROM outbox_message m WHERE m.peer_id = p.id AND m.state = 'dead') gone`;
const COLUMNS = `p.host_key AS host, host.trust, host.paused, host.gate,
  CASE WHEN host.content_shut_until IS NULL THEN 'closed' WHEN host.content_shut_until > now() THEN 'open' ELSE 'half-open' END AS "contentBreaker",
  host.content_shut_until AS "contentOpenUntil", open.waiting, open.under_way AS "underWay", gone.dead,
  open.since AS "waitingSince"`;

const LIST = statement<PeerListRow>(
  'peer_administration.list',
  `SELECT ${COLUMNS} FROM peer p JOIN peer host ON host.id = p.host_id ${COUNTS} WHERE p.host_key > $1 ORDER BY p.host_key LIMIT $2`,
);
const FIND = statement<PeerDetailRow>(
  'peer_administration.find',
  `SELECT ${COLUMNS}, host.outgoing_trust AS "outgoingTrust", host.signatures,
     coalesce(k.document_keys <> '' OR k.jwks <> '' OR k.signed_at IS NOT NULL, false) AS signs, h.state AS handshake, nullif(h.reason, '') AS "handshakeNote", jsonb_build_object('signBy', host.sign_by,
       'ignoresUnreadable', host.ignores_unreadable_signatures) AS chosen, p.profile, p.pinned_profile AS "pinnedProfile",
     (SELECT now_at.host_key FROM peer now_at WHERE now_at.id = p.alias_of) AS "aliasOf", p.discovered_at AS "discoveredAt",
     p.discovery_error AS "discoveryError", host.concurrency, host.rate_per_second AS "ratePerSecond", host.rate_burst AS "rateBurst",
     (SELECT max(m.finished_at) FROM outbox_message m WHERE m.peer_id = p.id AND m.state = 'delivered') AS "lastDelivery"
   FROM peer p JOIN peer host ON host.id = p.host_id ${COUNTS} LEFT JOIN trusted_handshake h ON h.peer_id = p.id
   LEFT JOIN partner_keys k ON k.peer_id = p.id WHERE p.host_key = $1`,
);
/** All addresses of a host are paused and resumed together. */
const HOST = '(SELECT host_id FROM peer WHERE host_key = $1)';
const PAUSE = decision<{ id: number }>(
  'peer_administration.pause',
  (acting) => `UPDATE peer SET paused = $2 WHERE id = ${HOST} AND ${acting} RETURNING id`,
);
/** An operator who resumes a partner wants to know at once whether it is back: both gates start anew. */
const RESUME = decision<{ id: number }>(
  'peer_administration.resume',
  (
    acting,
  ) => `UPDATE peer SET paused = false, gate = jsonb_set(gate, '{breaker}', '{"recent": [], "openUntilMs": null, "openings": 0}'),
     parked_until = NULL, content_failures = 0, content_failed_at = NULL, content_shut_until = NULL WHERE id = ${HOST} AND ${acting} RETURNING id`,
);
const RESUME_SHARES = statement(
  'peer_administration.resume_shares',
  `UPDATE received_share SET content_failures = 0, content_failed_at = NULL, content_shut_until = NULL
   WHERE content_shut_until IS NOT NULL AND peer_id IN (SELECT id FROM peer WHERE host_id = $1)`,
);
const PIN = decision(
  'peer_administration.pin',
  (acting) => `INSERT INTO peer (host_key, pinned_profile) SELECT $1, $2::jsonb WHERE ${acting}
   ON CONFLICT (host_key) DO UPDATE SET pinned_profile = excluded.pinned_profile`,
);
const UNPIN = decision<{ id: number }>(
  'peer_administration.unpin',
  (acting) =>
    `UPDATE peer SET pinned_profile = NULL WHERE host_key = $1 AND ${acting} AND pinned_profile IS NOT NULL RETURNING id`,
);
/** The choices are those of the host. The change is recorded here: no trigger looks at these columns. */
const CHOOSE_SIGNATURES = decision<{ id: number }>(
  'peer_administration.choose_signatures',
  (acting) => `WITH chosen AS (
     UPDATE peer SET sign_by = CASE WHEN $2 THEN $3 ELSE sign_by END,
       ignores_unreadable_signatures = coalesce($4::boolean, ignores_unreadable_signatures)
     WHERE id = ${HOST} AND ${acting} RETURNING id, host_key, sign_by, ignores_unreadable_signatures
   ) SELECT id, audit('partner.signatures', 'partner', host_key, jsonb_build_object('signBy', sign_by,
       'ignoresUnreadable', ignores_unreadable_signatures)) FROM chosen`,
);
const PULL_FORWARD = statement(
  'peer_administration.pull_forward',
  `UPDATE outbox_message SET available_at = now() WHERE peer_id IN (SELECT id FROM peer WHERE host_id = $1)
     AND state = 'pending' AND available_at > now()`,
);
const WAKE_RELAYS = statement(
  'peer_administration.wake_relays',
  `SELECT pg_notify('drawbridge_changes', 'outbox:')`,
);

/** Partners for operators. */
export class PeerAdministrationRepository {
  constructor(private readonly database: Database) {}

  /** Partners in the order of their hosts, those after `after`. */
  async list(after: string, limit: number): Promise<AdministeredPeer[]> {
    return (await this.database.rows(LIST, [after, limit])).map(withBreaker);
  }

  async find(hostKey: string): Promise<PeerDetails | undefined> {
    const [row] = await this.database.rows(FIND, [hostKey]);
    return row && withBreaker(row);
  }

  /** Nothing is sent to the partner until it is resumed. @returns whether it is known */
  async pause(hostKey: string): Promise<boolean> {
    return (await this.database.rows(PAUSE, [hostKey, true])).length > 0;
  }

  /** From now on the partner is spoken to by this profile, whatever discovery says; it may be a new one. */
  async pin(hostKey: string, profile: object): Promise<void> {
    await this.database.rows(PIN, [hostKey, JSON.stringify(profile)]);
  }

  /** @returns whether something was pinned */
  async unpin(hostKey: string): Promise<boolean> {
    return (await this.database.rows(UNPIN, [hostKey])).length > 0;
  }

  /** @param choices undefined for what stays as it is @returns whether the partner is known */
  async chooseSignatures(
    hostKey: string,
    {
      signBy,
      ignoresUnreadable,
    }: { [Choice in keyof ChosenSignatures]: ChosenSignatures[Choice] | undefined },
  ): Promise<boolean> {
    const values = [hostKey, signBy !== undefined, signBy ?? null, ignoresUnreadable ?? null];
    return (await this.database.rows(CHOOSE_SIGNATURES, values)).length > 0;
  }

  /** Tries the partner at once, with everything that waits. @returns whether it is known */
  resume(hostKey: string): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const [peer] = await transaction.rows(RESUME, [hostKey]);
      if (!peer) return false;
      await transaction.rows(RESUME_SHARES, [peer.id]);
      await transaction.rows(PULL_FORWARD, [peer.id]);
      await transaction.rows(WAKE_RELAYS);
      return true;
    });
  }
}

function withBreaker<Row extends { readonly gate: Gate }>({ gate, ...row }: Row) {
  const { openUntilMs } = gate.breaker;
  const openUntil = openUntilMs === null ? null : new Date(openUntilMs);
  return { ...row, breaker: breakerState(gate.breaker, Date.now()), openUntil };
}
