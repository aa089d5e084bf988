import { Injectable } from '@nestjs/common';
import { hostOfAddress } from '#federation/protocol';
import { Batching } from '#platform';
import { Database } from '../../database';
import {
  array,
  bool,
  filtered,
  int8,
  jsonb,
  jsonText,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../postgres-types';
import type { Trust } from '../../entities/partners/peer.entity';
import { statement } from '../../statement';

export type { Trust };
import { PartnerGateRepository } from './partner-gate.repository';
import { withdrawUnsignedOffers } from '../trust/unsigned-offers';
import { KEEP_KEYS, NOTE_NO_KEYS, type ReadKeys } from '../trust/partner-keys.repository';

/** A partner at its address; trust and pause belong to its host. */
const PEER_ROW = {
  id: int8,
  /** Canonical host, with port and path if they are not the usual ones. */
  hostKey: text,
  /** Result of discovery; null if it never succeeded. The reader parses it. */
  profile: filtered(jsonb<unknown>()),
  /** Profile that an operator set instead; null for none. */
  pinnedProfile: filtered(jsonb<unknown>()),
  /** An operator's choice of how messages to it are signed; null if its announcements decide. */
  signBy: nullable(textOf<'cavage' | 'rfc9421' | 'none'>()),
  profileExpiresAt: nullable(timestamptz),
  /** No new discovery before this time; null after a success. */
  discoveryFailedUntil: nullable(timestamptz),
  discoveryError: nullable(text),
  trust: textOf<Trust>(),
  /** Trust for shares with it, if that differs. */
  outgoingTrust: nullable(textOf<Trust>()),
  paused: bool,
};
export type PeerRow = RowOf<typeof PEER_ROW>;

const PEER = `SELECT p.id, p.host_key AS "hostKey", p.profile, p.pinned_profile AS "pinnedProfile",
    p.profile_expires_at AS "profileExpiresAt", p.discovery_failed_until AS "discoveryFailedUntil",
    p.discovery_error AS "discoveryError", host.sign_by AS "signBy", host.trust, host.outgoing_trust AS "outgoingTrust", host.paused
  FROM peer p JOIN peer host ON host.id = p.host_id`;

/** A renamed host leads to its partner's new host. */
const FIND = statement({
  name: 'peer.find',
  params: { hostKey: text },
  row: PEER_ROW,
  sql: `${PEER} WHERE p.id = (SELECT coalesce(alias_of, id) FROM peer WHERE host_key = :hostKey)`,
});
const FIND_BY_IDS = statement({
  name: 'peer.find_by_ids',
  plannedOnce: true,
  params: { peerIds: array(int8) },
  row: PEER_ROW,
  sql: `${PEER} WHERE p.id = ANY (:peerIds::bigint[])`,
});
/** An unknown address counts as its host. */
const REGARDED = statement({
  name: 'peer.regarded',
  params: { hostKey: text, otherHostKey: text },
  row: { trust: textOf<Trust>(), outgoingTrust: nullable(textOf<Trust>()) },
  sql: `SELECT host.trust, host.outgoing_trust AS "outgoingTrust" FROM peer p JOIN peer host ON host.id = p.host_id
   WHERE p.host_key IN (:hostKey, :otherHostKey) ORDER BY p.host_key = :hostKey DESC LIMIT 1`,
});
const INSERT = statement({
  name: 'peer.insert',
  params: { hostKey: text },
  sql: 'INSERT INTO peer (host_key) VALUES (:hostKey) ON CONFLICT (host_key) DO NOTHING',
});
const SAVE_PROFILE = statement({
  name: 'peer.save_profile',
  params: { peerId: int8, profile: jsonText, validMs: int8 },
  sql: `UPDATE peer SET profile = :profile, discovered_at = now(), profile_expires_at = now() + :validMs::bigint * interval '1 millisecond',
     discovery_failed_until = NULL, discovery_error = NULL WHERE id = :peerId`,
});
const SAVE_FAILURE = statement({
  name: 'peer.save_discovery_failure',
  params: { peerId: int8, reason: text, forMs: int8 },
  sql: `UPDATE peer SET discovery_failed_until = now() + :forMs::bigint * interval '1 millisecond', discovery_error = :reason WHERE id = :peerId`,
});
const EXPIRE_PROFILE = statement({
  name: 'peer.expire_profile',
  params: { peerId: int8 },
  sql: 'UPDATE peer SET profile_expires_at = now() WHERE id = :peerId',
});

const READ_AT_ONCE = 200;

/** Partners: the row of each. A change is announced on topic `peer` with the host key. */
@Injectable()
export class PeerRepository {
  private readonly reads: Batching<number, PeerRow | undefined>;

  constructor(private readonly database: Database) {
    this.reads = new Batching((peerIds) => this.findByIds(peerIds), READ_AT_ONCE);
  }

  /** After a rename the found partner has another host. */
  async find(hostKey: string): Promise<PeerRow | undefined> {
    return (await this.database.rows(FIND, { hostKey }))[0];
  }

  /** Decisions about the host of this address; undefined for an unknown host. */
  async regarded(hostKey: string): Promise<Pick<PeerRow, 'trust' | 'outgoingTrust'> | undefined> {
    return (await this.database.rows(REGARDED, { hostKey, otherHostKey: hostOfAddress(hostKey) }))[0];
  }

  /** Simultaneous calls share one read: many messages are sent at once. */
  findById(peerId: number): Promise<PeerRow | undefined> {
    return this.reads.submit(peerId);
  }

  /** The partner at this address. A new one is stored. */
  async ensure(hostKey: string): Promise<PeerRow> {
    const known = await this.find(hostKey);
    if (known) return known;
    await this.database.rows(INSERT, { hostKey });
    return (await this.find(hostKey)) ?? (await this.ensure(hostKey));
  }

  /**
   * Stores the results of a discovery: the profile for `validMs` milliseconds, and the partner's keys. The partner
   * answered, so its gates admit a request.
   */
  async saveDiscovery(peerId: number, profile: object, validMs: number, keys: ReadKeys): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.rows(SAVE_PROFILE, { peerId, profile: JSON.stringify(profile), validMs });
      await transaction.rows(KEEP_KEYS, { peerId, documentKeys: keys.documentKeys, jwks: keys.jwks });
      await new PartnerGateRepository(transaction).noteSign([peerId]);
      await withdrawUnsignedOffers(transaction, peerId);
    });
  }

  /** Stores a profile, for `validMs` milliseconds. */
  async saveProfile(peerId: number, profile: object, validMs: number): Promise<void> {
    await this.database.rows(SAVE_PROFILE, { peerId, profile: JSON.stringify(profile), validMs });
  }

  /** Stores that discovery failed, for `forMs` milliseconds. An older profile and known keys are kept. */
  async saveDiscoveryFailure(peerId: number, reason: string, forMs: number): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.rows(SAVE_FAILURE, { peerId, reason, forMs });
      await transaction.rows(NOTE_NO_KEYS, { peerId });
    });
  }

  /** Makes the next use discover the partner again. */
  async expireProfile(peerId: number): Promise<void> {
    await this.database.rows(EXPIRE_PROFILE, { peerId });
  }

  private async findByIds(peerIds: readonly number[]): Promise<(PeerRow | undefined)[]> {
    const rows = await this.database.rows(FIND_BY_IDS, { peerIds: [...new Set(peerIds)] });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return peerIds.map((id) => byId.get(id));
  }
}
