import { Injectable } from '@nestjs/common';
import { hostOfAddress } from '#federation/protocol';
import { Database } from '../../database';
import { statement } from '../../statement';
import { ANNOUNCES_SIGNATURES } from './unsigned-offers';

/** Demands on the signatures of one partner. */
export type DemandedSignatures = 'known' | 'required' | 'checked';

/** By which keys a partner signs, as far as is known. */
export interface PartnerKeysRow {
  readonly peerId: number;
  readonly hostKey: string;
  /** Those in its discovery document, as a JWKS document; `''` for none. */
  readonly documentKeys: string;
  readonly documentReadAt: Date | null;
  /** Those in its JWKS; `''` for none. */
  readonly jwks: string;
  readonly jwksReadAt: Date | null;
  /** Whether the last question ended. */
  readonly isAnswered: boolean;
  /** Whether the last question brought everything that the partner says of its keys. */
  readonly isComplete: boolean;
}

/** Facts that decide whether messages from a host have to be signed. */
export interface SigningHostRow {
  /** Demand of an administrator on it; null where the setting decides. */
  readonly signatures: DemandedSignatures | null;
  /** Whether there is a key at any address of the host, or a message of it was signed before. */
  readonly isSigner: boolean;
  /** Whether signatures of its messages that cannot be read count as none, by an operator's choice. */
  readonly ignoresUnreadable: boolean;
  /** Whether a partner there announces that it signs. */
  readonly announces: boolean;
}

/** Result of reading a partner's keys. */
export interface ReadKeys {
  /** A JWKS document; `''` for no key. */
  readonly documentKeys: string;
  /** The same; null where the partner has a JWKS that could not be read. */
  readonly jwks: string | null;
}

const COLUMNS = `p.id AS "peerId", p.host_key AS "hostKey",
  coalesce(k.document_keys, '') AS "documentKeys", k.document_read_at AS "documentReadAt",
  coalesce(k.jwks, '') AS jwks, k.jwks_read_at AS "jwksReadAt",
  coalesce(k.answered_at >= k.asked_at, k.answered_at IS NOT NULL) AS "isAnswered",
  coalesce(k.document_read_at >= coalesce(k.asked_at, '-infinity')
    AND k.jwks_read_at >= coalesce(k.asked_at, '-infinity'), false) AS "isComplete"`;

/** A host that was renamed leads to its partner's new one. */
const FIND = statement<PartnerKeysRow>(
  'partner_keys.find',
  `SELECT ${COLUMNS} FROM peer p LEFT JOIN partner_keys k ON k.peer_id = p.id
   WHERE p.id = (SELECT coalesce(alias_of, id) FROM peer WHERE host_key = $1)`,
);
/** An address that nobody used before is its host's. */
const HOST = statement<SigningHostRow>(
  'partner_keys.host',
  `SELECT host.signatures, host.ignores_unreadable_signatures AS "ignoresUnreadable", ${ANNOUNCES_SIGNATURES} AS announces,
     EXISTS (SELECT FROM peer a JOIN partner_keys k ON k.peer_id = a.id WHERE a.host_id = host.id
       AND (k.document_keys <> '' OR k.jwks <> '' OR k.signed_at IS NOT NULL)) AS "isSigner"
   FROM peer p JOIN peer host ON host.id = p.host_id
   WHERE p.host_key IN ($1, $2) ORDER BY p.host_key = $1 DESC LIMIT 1`,
);
const CLAIM = statement<{ peerId: number }>(
  'partner_keys.claim',
  `INSERT INTO partner_keys (peer_id, asked_at) VALUES ($1, now())
   ON CONFLICT (peer_id) DO UPDATE SET asked_at = now()
     WHERE partner_keys.asked_at IS NULL OR partner_keys.asked_at < now() - $2::int * interval '1 second'
   RETURNING peer_id AS "peerId"`,
);
export const KEEP_KEYS = statement(
  'partner_keys.keep',
  `INSERT INTO partner_keys (peer_id, document_keys, document_read_at, jwks, jwks_read_at, answered_at)
   VALUES ($1, $2, now(), coalesce($3::text, ''), CASE WHEN $3 IS NOT NULL THEN now() END, now())
   ON CONFLICT (peer_id) DO UPDATE SET document_keys = excluded.document_keys, document_read_at = now(), answered_at = now(),
     jwks = coalesce($3, partner_keys.jwks), jwks_read_at = coalesce(excluded.jwks_read_at, partner_keys.jwks_read_at)`,
);
/** Known keys are kept. A partner that was never asked for keys waits for no answer. */
export const NOTE_NO_KEYS = statement(
  'partner_keys.note_failure',
  'UPDATE partner_keys SET answered_at = now() WHERE peer_id = $1',
);
const NOTE_SIGNED = statement(
  'partner_keys.note_signed',
  `UPDATE partner_keys SET signed_at = now() WHERE signed_at IS NULL
     AND peer_id = (SELECT coalesce(alias_of, id) FROM peer WHERE host_key = $1)`,
);

/** Public keys of partners; discovery keeps them with what else it found. The end of a question is announced on topic `partner-keys` with the partner's id. */
@Injectable()
export class PartnerKeysRepository {
  constructor(private readonly database: Database) {}

  /** @returns undefined for a host that is no partner's */
  async find(hostKey: string): Promise<PartnerKeysRow | undefined> {
    return (await this.database.rows(FIND, [hostKey]))[0];
  }

  /** @returns undefined for an address whose host is not known */
  async host(hostKey: string): Promise<SigningHostRow | undefined> {
    return (await this.database.rows(HOST, [hostKey, hostOfAddress(hostKey)]))[0];
  }

  /**
   * Claims the question for a partner's keys: whoever gets it has it asked.
   * @param everySeconds so often all replicas together ask
   */
  async claim(peerId: number, everySeconds: number): Promise<boolean> {
    return (await this.database.rows(CLAIM, [peerId, everySeconds])).length > 0;
  }

  /** From now on it is known that this partner signs. */
  async noteSigned(hostKey: string): Promise<void> {
    await this.database.rows(NOTE_SIGNED, [hostKey]);
  }
}
