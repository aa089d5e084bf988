import { Injectable } from '@nestjs/common';
import type { SigningHost } from '#federation/exchange';
import { hostOfAddress } from '#federation/protocol';
import { Database } from '../../database';
import type { DemandedSignatures } from '../../entities/partners/peer.entity';
import { bool, int4, int8, nullable, type RowOf, text, textOf, timestamptz } from '../../postgres-types';
import { statement } from '../../statement';
import { ANNOUNCES_SIGNATURES } from './unsigned-offers';

/** The known keys with which a partner signs. */
const PARTNER_KEYS_ROW = {
  peerId: int8,
  hostKey: text,
  /** Keys of its discovery document, as a JWKS document; `''` for none. */
  documentKeys: text,
  documentReadAt: nullable(timestamptz),
  /** Keys of its JWKS; `''` for none. */
  jwks: text,
  jwksReadAt: nullable(timestamptz),
  /** Whether the last request has ended. */
  isAnswered: bool,
  /** Whether the last request returned all keys that the partner announces. */
  isComplete: bool,
};
export type PartnerKeysRow = RowOf<typeof PARTNER_KEYS_ROW>;

/** A row with these columns is a `SigningHost`. */
export const SIGNING_HOST_ROW = {
  signatures: nullable(textOf<DemandedSignatures>()),
  isSigner: bool,
  ignoresUnreadable: bool,
  announces: bool,
  isSettled: bool,
  isProfiled: bool,
};

/** Its columns: of the host `host`, and of the partner `one` at the address itself, if there is one. */
export const SIGNING_HOST = `host.signatures, host.ignores_unreadable_signatures IS TRUE AS "ignoresUnreadable", ${ANNOUNCES_SIGNATURES} AS announces,
     EXISTS (SELECT FROM peer a JOIN partner_keys k ON k.peer_id = a.id WHERE a.host_id = host.id
       AND (k.document_keys <> '' OR k.jwks <> '' OR k.signed_at IS NOT NULL)) AS "isSigner",
     (one.pinned_profile IS NOT NULL OR one.discovery_failed_until > now() OR one.profile_expires_at > now()) IS TRUE AS "isSettled",
     (one.pinned_profile IS NOT NULL OR one.profile IS NOT NULL) AS "isProfiled"`;

/** Result of reading a partner's keys. */
export interface ReadKeys {
  /** A JWKS document; `''` for no key. */
  readonly documentKeys: string;
  /** Another JWKS document; null if the partner's JWKS could not be read. */
  readonly jwks: string | null;
}

const COLUMNS = `p.id AS "peerId", p.host_key AS "hostKey",
  coalesce(k.document_keys, '') AS "documentKeys", k.document_read_at AS "documentReadAt",
  coalesce(k.jwks, '') AS jwks, k.jwks_read_at AS "jwksReadAt",
  coalesce(k.answered_at >= k.asked_at, k.answered_at IS NOT NULL) AS "isAnswered",
  coalesce(k.document_read_at >= coalesce(k.asked_at, '-infinity')
    AND k.jwks_read_at >= coalesce(k.asked_at, '-infinity'), false) AS "isComplete"`;

/** A renamed host leads to its partner's new host. */
const FIND = statement({
  name: 'partner_keys.find',
  params: { hostKey: text },
  row: PARTNER_KEYS_ROW,
  sql: `SELECT ${COLUMNS} FROM peer p LEFT JOIN partner_keys k ON k.peer_id = p.id
   WHERE p.id = (SELECT coalesce(alias_of, id) FROM peer WHERE host_key = :hostKey)`,
});
/** An unknown address counts as its host. */
const HOST = statement({
  name: 'partner_keys.host',
  params: { hostKey: text, otherHostKey: text },
  row: SIGNING_HOST_ROW,
  sql: `SELECT ${SIGNING_HOST}
   FROM peer p JOIN peer host ON host.id = p.host_id LEFT JOIN peer one ON p.host_key = :hostKey AND one.id = coalesce(p.alias_of, p.id)
   WHERE p.host_key IN (:hostKey, :otherHostKey) ORDER BY p.host_key = :hostKey DESC LIMIT 1`,
});
const CLAIM = statement({
  name: 'partner_keys.claim',
  params: { peerId: int8, everySeconds: int4 },
  row: { peerId: int8 },
  sql: `INSERT INTO partner_keys (peer_id, asked_at) VALUES (:peerId, now())
   ON CONFLICT (peer_id) DO UPDATE SET asked_at = now()
     WHERE partner_keys.asked_at IS NULL OR partner_keys.asked_at < now() - :everySeconds::int * interval '1 second'
   RETURNING peer_id AS "peerId"`,
});
export const KEEP_KEYS = statement({
  name: 'partner_keys.keep',
  params: { peerId: int8, documentKeys: text, jwks: nullable(text) },
  sql: `INSERT INTO partner_keys (peer_id, document_keys, document_read_at, jwks, jwks_read_at, answered_at)
   VALUES (:peerId, :documentKeys, now(), coalesce(:jwks::text, ''), CASE WHEN :jwks IS NOT NULL THEN now() END, now())
   ON CONFLICT (peer_id) DO UPDATE SET document_keys = excluded.document_keys, document_read_at = now(), answered_at = now(),
     jwks = coalesce(:jwks, partner_keys.jwks), jwks_read_at = coalesce(excluded.jwks_read_at, partner_keys.jwks_read_at)`,
});
/** Known keys are kept. A partner that was never asked for keys has no request to end. */
export const NOTE_NO_KEYS = statement({
  name: 'partner_keys.note_failure',
  params: { peerId: int8 },
  sql: 'UPDATE partner_keys SET answered_at = now() WHERE peer_id = :peerId',
});
const NOTE_SIGNED = statement({
  name: 'partner_keys.note_signed',
  params: { hostKey: text },
  sql: `UPDATE partner_keys SET signed_at = now() WHERE signed_at IS NULL
     AND peer_id = (SELECT coalesce(alias_of, id) FROM peer WHERE host_key = :hostKey)`,
});

/**
 * Public keys of partners, which discovery stores with its other results. The end of a request is announced on topic
 * `partner-keys` with the partner's id.
 */
@Injectable()
export class PartnerKeysRepository {
  constructor(private readonly database: Database) {}

  /** @returns undefined for a host without a partner */
  async find(hostKey: string): Promise<PartnerKeysRow | undefined> {
    return (await this.database.rows(FIND, { hostKey }))[0];
  }

  /** @returns undefined for an address with an unknown host */
  async host(hostKey: string): Promise<SigningHost | undefined> {
    return (await this.database.rows(HOST, { hostKey, otherHostKey: hostOfAddress(hostKey) }))[0];
  }

  /**
   * Claims the request for a partner's keys: only one caller gets it.
   * @param everySeconds minimum time between requests of all replicas together
   */
  async claim(peerId: number, everySeconds: number): Promise<boolean> {
    return (await this.database.rows(CLAIM, { peerId, everySeconds })).length > 0;
  }

  /** Notes that this partner is known to sign. */
  async noteSigned(hostKey: string): Promise<void> {
    await this.database.rows(NOTE_SIGNED, { hostKey });
  }
}
