import type { HostIdentity } from '#federation/protocol';
import { actingText } from '../../acting-text';
import type { Database } from '../../database';
import { int8, nullable, type RowOf, text, textOf } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import type { DemandedSignatures } from '../trust/partner-keys.repository';
import type { Trust } from './peer.repository';

/** A host of partners with what was said of it. */
const REGARDED_PEER = {
  id: int8,
  hostKey: text,
  trust: textOf<Trust>(),
  outgoingTrust: nullable(textOf<Trust>()),
  /** Demand on the signatures of its messages; null where the setting decides. */
  signatures: nullable(textOf<DemandedSignatures>()),
};
export type RegardedPeer = RowOf<typeof REGARDED_PEER>;

const COLUMNS = 'id, host_key AS "hostKey", trust, outgoing_trust AS "outgoingTrust", signatures';
/** The host of this name, under the one it has now. */
const NAMED = `(SELECT coalesce((SELECT host.host_key FROM peer p JOIN peer host ON host.id = p.host_id WHERE p.host_key = :hostKey), :hostKey))`;

const BOTH = statement({
  name: 'peer_trust.both',
  params: { hostKey: text, trust: text, acting: text },
  row: REGARDED_PEER,
  sql: `INSERT INTO peer (host_key, trust) SELECT ${NAMED}, :trust WHERE ${ACTING}
   ON CONFLICT (host_key) DO UPDATE SET trust = excluded.trust, outgoing_trust = NULL RETURNING ${COLUMNS}`,
});
/** Shares that were given before go on. */
const INCOMING = statement({
  name: 'peer_trust.incoming',
  params: { hostKey: text, trust: text, acting: text },
  row: REGARDED_PEER,
  sql: `INSERT INTO peer (host_key, trust, outgoing_trust) SELECT ${NAMED}, :trust, 'unknown' WHERE ${ACTING}
   ON CONFLICT (host_key) DO UPDATE SET trust = excluded.trust, outgoing_trust = coalesce(peer.outgoing_trust, peer.trust)
   RETURNING ${COLUMNS}`,
});
const OUTGOING = statement({
  name: 'peer_trust.outgoing',
  params: { hostKey: text, trust: text, acting: text },
  row: REGARDED_PEER,
  sql: `INSERT INTO peer (host_key, outgoing_trust) SELECT ${NAMED}, :trust WHERE ${ACTING}
   ON CONFLICT (host_key) DO UPDATE SET outgoing_trust = excluded.outgoing_trust RETURNING ${COLUMNS}`,
});
const DEMAND = statement({
  name: 'peer_trust.demand',
  params: { hostKey: text, signatures: nullable(text), acting: text },
  row: REGARDED_PEER,
  sql: `INSERT INTO peer (host_key, signatures) SELECT ${NAMED}, :signatures WHERE ${ACTING}
   ON CONFLICT (host_key) DO UPDATE SET signatures = excluded.signatures RETURNING ${COLUMNS}`,
});
const FIND = statement({
  name: 'peer_trust.find',
  params: { hostKey: text },
  row: REGARDED_PEER,
  sql: `SELECT ${COLUMNS} FROM peer WHERE host_key = ${NAMED}`,
});

const SET = { both: BOTH, incoming: INCOMING, outgoing: OUTGOING } as const;

/**
 * Administrators' decisions about hosts, for all addresses there; every replica follows them with its next reading of
 * the partner.
 */
export class PeerTrustRepository {
  constructor(private readonly database: Database) {}

  /** The host may be a new one: it can be denied or trusted before it is ever heard of. */
  async set(host: HostIdentity, trust: Trust, direction: keyof typeof SET): Promise<RegardedPeer> {
    return (await this.database.rows(SET[direction], { hostKey: host, trust, acting: actingText() }))[0]!;
  }

  /** @param signatures what is demanded of its messages; null leaves that to the setting */
  async demand(host: HostIdentity, signatures: DemandedSignatures | null): Promise<RegardedPeer> {
    return (await this.database.rows(DEMAND, { hostKey: host, signatures, acting: actingText() }))[0]!;
  }

  async find(host: HostIdentity): Promise<RegardedPeer | undefined> {
    return (await this.database.rows(FIND, { hostKey: host }))[0];
  }
}
