import { breakerState, type Gate } from '#federation/exchange';
import { IsNull, Not, Raw } from 'typeorm';
import { actingText } from '../../acting-text';
import type { Database } from '../../database';
import { PeerEntity } from '../../entities/partners/peer.entity';
import {
  bool,
  filtered,
  float4,
  int2,
  int4,
  int8,
  jsonb,
  nullable,
  text,
  textOf,
  timestamptz,
  voidResult,
} from '../../postgres-types';
import { ACTING, statement } from '../../statement';

/** A partner, as operators see it. */
export interface AdministeredPeer {
  readonly host: string;
  readonly trust: string;
  readonly paused: boolean;
  readonly breaker: 'closed' | 'open' | 'half-open';
  /** Time until which the breaker of messages is open; null when it is closed. */
  readonly openUntil: Date | null;
  /** Breaker of its files: half-open when one request may find out whether they are back. */
  readonly contentBreaker: 'closed' | 'open' | 'half-open';
  readonly contentOpenUntil: Date | null;
  readonly waiting: number;
  readonly underWay: number;
  readonly dead: number;
  /** Time at which the oldest waiting message was written. */
  readonly waitingSince: Date | null;
}

export interface PeerDetails extends AdministeredPeer {
  /** Trust for shares with it, if that differs; null if not. */
  readonly outgoingTrust: string | null;
  /** Demand on the signatures of its messages; null if the setting decides. */
  readonly signatures: string | null;
  /** Whether the partner is known to sign its messages. */
  readonly signs: boolean;
  /** State of the handshake with a trusted server; null for none. */
  readonly handshake: string | null;
  readonly handshakeNote: string | null;
  /** Operators' choices about its signatures. */
  readonly chosen: ChosenSignatures;
  readonly profile: unknown;
  readonly pinnedProfile: unknown;
  /** The host under which the partner is found now; null if it is this one. */
  readonly aliasOf: string | null;
  readonly discoveredAt: Date | null;
  readonly discoveryError: string | null;
  readonly concurrency: number;
  readonly ratePerSecond: number;
  readonly rateBurst: number;
  readonly lastDelivery: Date | null;
}

/** Limits of deliveries to a host. */
export interface DeliveryLimits {
  /** Maximum of simultaneous deliveries, 1 to 1000. */
  readonly concurrency: number;
  /** Deliveries per second, above 0. */
  readonly ratePerSecond: number;
  /** Deliveries that may start at once after a pause, at least 1. */
  readonly rateBurst: number;
}

export interface ChosenSignatures {
  /** Scheme of messages to it; null if its announcements decide. */
  readonly signBy: 'cavage' | 'rfc9421' | 'none' | null;
  /** Whether signatures of its messages that cannot be read are ignored. */
  readonly ignoresUnreadable: boolean;
}

const PEER_LIST_ROW = {
  host: text,
  trust: text,
  paused: bool,
  contentBreaker: textOf<'closed' | 'open' | 'half-open'>(),
  contentOpenUntil: nullable(timestamptz),
  waiting: int4,
  underWay: int4,
  dead: int4,
  waitingSince: nullable(timestamptz),
  gate: jsonb<Gate>(),
};
const PEER_DETAIL_ROW = {
  ...PEER_LIST_ROW,
  aliasOf: nullable(text),
  outgoingTrust: nullable(text),
  signatures: nullable(text),
  signs: bool,
  handshake: nullable(text),
  handshakeNote: nullable(text),
  chosen: jsonb<ChosenSignatures>(),
  profile: filtered(jsonb<unknown>()),
  pinnedProfile: filtered(jsonb<unknown>()),
  discoveredAt: nullable(timestamptz),
  discoveryError: nullable(text),
  concurrency: int2,
  ratePerSecond: float4,
  rateBurst: int4,
  lastDelivery: nullable(timestamptz),
};

const COUNTS = `CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE m.state = 'pending')::int AS waiting, min(m.created_at) FILTER (WHERE m.state = 'pending') AS since,
      count(*) FILTER (WHERE m.state IN ('queued', 'inflight'))::int AS under_way FROM outbox_message m
    WHERE m.peer_id = p.id AND m.state IN ('pending', 'queued', 'inflight')) open
  CROSS JOIN LATERAL (SELECT count(*)::int AS dead FROM outbox_message m WHERE m.peer_id = p.id AND m.state = 'dead') gone`;
const COLUMNS = `p.host_key AS host, host.trust, host.paused, host.gate,
  CASE WHEN host.content_shut_until IS NULL THEN 'closed' WHEN host.content_shut_until > now() THEN 'open' ELSE 'half-open' END AS "contentBreaker",
  host.content_shut_until AS "contentOpenUntil", open.waiting, open.under_way AS "underWay", gone.dead,
  open.since AS "waitingSince"`;

const LIST = statement({
  name: 'peer_administration.list',
  params: { after: text, search: text, limit: int8 },
  row: PEER_LIST_ROW,
  sql: `SELECT ${COLUMNS} FROM peer p JOIN peer host ON host.id = p.host_id ${COUNTS} WHERE p.host_key > :after
     AND position(:search IN p.host_key) > 0 ORDER BY p.host_key LIMIT :limit`,
});
const FIND = statement({
  name: 'peer_administration.find',
  params: { hostKey: text },
  row: PEER_DETAIL_ROW,
  sql: `SELECT ${COLUMNS}, host.outgoing_trust AS "outgoingTrust", host.signatures,
     coalesce(k.document_keys <> '' OR k.jwks <> '' OR k.signed_at IS NOT NULL, false) AS signs, h.state AS handshake, nullif(h.reason, '') AS "handshakeNote", jsonb_build_object('signBy', host.sign_by,
       'ignoresUnreadable', host.ignores_unreadable_signatures) AS chosen, p.profile, p.pinned_profile AS "pinnedProfile",
     (SELECT now_at.host_key FROM peer now_at WHERE now_at.id = p.alias_of) AS "aliasOf", p.discovered_at AS "discoveredAt",
     p.discovery_error AS "discoveryError", host.concurrency, host.rate_per_second AS "ratePerSecond", host.rate_burst AS "rateBurst",
     (SELECT max(m.finished_at) FROM outbox_message m WHERE m.peer_id = p.id AND m.state = 'delivered') AS "lastDelivery"
   FROM peer p JOIN peer host ON host.id = p.host_id ${COUNTS} LEFT JOIN trusted_handshake h ON h.peer_id = p.id
   LEFT JOIN partner_keys k ON k.peer_id = p.id WHERE p.host_key = :hostKey`,
});
/** All addresses of a host are paused and resumed together. */
const HOST = '(SELECT host_id FROM peer WHERE host_key = :hostKey)';
/** When an operator resumes a partner, both gates start again, so that the next request is made at once. */
const RESUME = statement({
  name: 'peer_administration.resume',
  params: { hostKey: text, acting: text },
  row: { id: int8 },
  sql: `UPDATE peer SET paused = false, gate = jsonb_set(gate, '{breaker}', '{"recent": [], "openUntilMs": null, "openings": 0}'),
     parked_until = NULL, content_failures = 0, content_failed_at = NULL, content_shut_until = NULL WHERE id = ${HOST} AND ${ACTING} RETURNING id`,
});
const RESUME_SHARES = statement({
  name: 'peer_administration.resume_shares',
  params: { id: int8 },
  sql: `UPDATE received_share SET content_failures = 0, content_failed_at = NULL, content_shut_until = NULL
   WHERE content_shut_until IS NOT NULL AND peer_id IN (SELECT id FROM peer WHERE host_id = :id)`,
});
/** The choices belong to the host. The change is recorded here, because no trigger records these columns. */
const CHOOSE_SIGNATURES = statement({
  name: 'peer_administration.choose_signatures',
  params: {
    hostKey: text,
    setsSignBy: bool,
    signBy: nullable(text),
    ignoresUnreadable: nullable(bool),
    acting: text,
  },
  row: { id: int8, audit: voidResult },
  sql: `WITH chosen AS (
     UPDATE peer SET sign_by = CASE WHEN :setsSignBy THEN :signBy ELSE sign_by END,
       ignores_unreadable_signatures = coalesce(:ignoresUnreadable::boolean, ignores_unreadable_signatures)
     WHERE id = ${HOST} AND ${ACTING} RETURNING id, host_key, sign_by, ignores_unreadable_signatures
   ) SELECT id, audit('partner.signatures', 'partner', host_key, jsonb_build_object('signBy', sign_by,
       'ignoresUnreadable', ignores_unreadable_signatures)) FROM chosen`,
});
const PULL_FORWARD = statement({
  name: 'peer_administration.pull_forward',
  params: { id: int8 },
  sql: `UPDATE outbox_message SET available_at = now() WHERE peer_id IN (SELECT id FROM peer WHERE host_id = :id)
     AND state = 'pending' AND available_at > now()`,
});
/** Files that wait to be written into its folders. */
const PULL_WRITES_FORWARD = statement({
  name: 'peer_administration.pull_writes_forward',
  params: { id: int8 },
  sql: `UPDATE stored_write SET due_at = now() WHERE peer_id IN (SELECT id FROM peer WHERE host_id = :id)
     AND due_at > now() AND NOT coalesce(held_until > now(), false)`,
});
const WAKE_RELAYS = statement({
  name: 'peer_administration.wake_relays',
  sql: `SELECT pg_notify('drawbridge_changes', 'outbox:')`,
});

/** Partners for operators. */
export class PeerAdministrationRepository {
  constructor(private readonly database: Database) {}

  /** Partners behind `after` whose host contains `search`, in the order of their hosts. */
  async list(after: string, limit: number, search = ''): Promise<AdministeredPeer[]> {
    return (await this.database.rows(LIST, { after, search, limit })).map(withBreaker);
  }

  async find(hostKey: string): Promise<PeerDetails | undefined> {
    const [row] = await this.database.rows(FIND, { hostKey });
    return row && withBreaker(row);
  }

  /** Stops messages to the partner until it is resumed. @returns whether it is known */
  async pause(hostKey: string): Promise<boolean> {
    const paused = await this.database.write(PeerEntity, (peers) =>
      peers.update(hostOf(hostKey), { paused: true }),
    );
    return paused.affected === 1;
  }

  /** Sets the limits of deliveries to all addresses of a host. @returns whether it is known */
  async limit(hostKey: string, limits: DeliveryLimits): Promise<boolean> {
    const limited = await this.database.write(PeerEntity, (peers) => peers.update(hostOf(hostKey), limits));
    return limited.affected === 1;
  }

  /** Sets the profile of a partner, which may be new; discovery does not change it. */
  async pin(hostKey: string, profile: object): Promise<void> {
    await this.database.write(PeerEntity, (peers) =>
      peers.upsert({ hostKey, pinnedProfile: profile }, ['hostKey']),
    );
  }

  /** @returns whether a profile was pinned */
  async unpin(hostKey: string): Promise<boolean> {
    const unpinned = await this.database.write(PeerEntity, (peers) =>
      peers.update({ hostKey, pinnedProfile: Not(IsNull()) }, { pinnedProfile: null }),
    );
    return unpinned.affected === 1;
  }

  /** @param choices undefined for values that stay @returns whether the partner is known */
  async chooseSignatures(
    hostKey: string,
    {
      signBy,
      ignoresUnreadable,
    }: { [Choice in keyof ChosenSignatures]: ChosenSignatures[Choice] | undefined },
  ): Promise<boolean> {
    return (
      (
        await this.database.rows(CHOOSE_SIGNATURES, {
          hostKey,
          setsSignBy: signBy !== undefined,
          signBy: signBy ?? null,
          ignoresUnreadable: ignoresUnreadable ?? null,
          acting: actingText(),
        })
      ).length > 0
    );
  }

  /** Lets all waiting messages and requests be tried at once. @returns whether the partner is known */
  resume(hostKey: string): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const [peer] = await transaction.rows(RESUME, { hostKey, acting: actingText() });
      if (!peer) return false;
      await transaction.rows(RESUME_SHARES, { id: peer.id });
      await transaction.rows(PULL_FORWARD, { id: peer.id });
      await transaction.rows(PULL_WRITES_FORWARD, { id: peer.id });
      await transaction.rows(WAKE_RELAYS);
      return true;
    });
  }
}

const hostOf = (hostKey: string) => ({
  id: Raw((column) => `${column} = (SELECT host_id FROM peer WHERE host_key = :hostKey)`, { hostKey }),
});

function withBreaker<Row extends { readonly gate: Gate }>({ gate, ...row }: Row) {
  const { openUntilMs } = gate.breaker;
  const openUntil = openUntilMs === null ? null : new Date(openUntilMs);
  return { ...row, breaker: breakerState(gate.breaker, Date.now()), openUntil };
}
