import type { HostIdentity } from '#federation/protocol';
import type { Database } from '../../database';
import { decision, statement } from '../../statement';
import type { DemandedSignatures } from '../trust/partner-keys.repository';
import type { Trust } from './peer.repository';

/** A host of partners with what was said of it. */
export interface RegardedPeer {
  readonly id: number;
  readonly hostKey: string;
  readonly trust: Trust;
  readonly outgoingTrust: Trust | null;
  /** Demand on the signatures of its messages; null where the setting decides. */
  readonly signatures: DemandedSignatures | null;
}

const COLUMNS = 'id, host_key AS "hostKey", trust, outgoing_trust AS "outgoingTrust", signatures';
/** The host of this name, under the one it has now. */
const NAMED = `(SELECT coalesce((SELECT host.host_key FROM peer p JOIN peer host ON host.id = p.host_id WHERE p.host_key = $1), $1))`;

const BOTH = decision<RegardedPeer>(
  'peer_trust.both',
  (acting) => `INSERT INTO peer (host_key, trust) SELECT ${NAMED}, $2 WHERE ${acting}
   ON CONFLICT (host_key) DO UPDATE SET trust = excluded.trust, outgoing_trust = NULL RETURNING ${COLUMNS}`,
);
/** Shares that were given before go on. */
const INCOMING = decision<RegardedPeer>(
  'peer_trust.incoming',
  (
    acting,
  ) => `INSERT INTO peer (host_key, trust, outgoing_trust) SELECT ${NAMED}, $2, 'unknown' WHERE ${acting}
   ON CONFLICT (host_key) DO UPDATE SET trust = excluded.trust, outgoing_trust = coalesce(peer.outgoing_trust, peer.trust)
   RETURNING ${COLUMNS}`,
);
const OUTGOING = decision<RegardedPeer>(
  'peer_trust.outgoing',
  (acting) => `INSERT INTO peer (host_key, outgoing_trust) SELECT ${NAMED}, $2 WHERE ${acting}
   ON CONFLICT (host_key) DO UPDATE SET outgoing_trust = excluded.outgoing_trust RETURNING ${COLUMNS}`,
);
const DEMAND = decision<RegardedPeer>(
  'peer_trust.demand',
  (acting) => `INSERT INTO peer (host_key, signatures) SELECT ${NAMED}, $2 WHERE ${acting}
   ON CONFLICT (host_key) DO UPDATE SET signatures = excluded.signatures RETURNING ${COLUMNS}`,
);
const FIND = statement<RegardedPeer>(
  'peer_trust.find',
  `SELECT ${COLUMNS} FROM peer WHERE host_key = ${NAMED}`,
);

const SET = { both: BOTH, incoming: INCOMING, outgoing: OUTGOING } as const;

/**
 * Administrators' decisions about hosts, for all addresses there; every replica follows them with its next reading of
 * the partner.
 */
export class PeerTrustRepository {
  constructor(private readonly database: Database) {}

  /** The host may be a new one: it can be denied or trusted before it is ever heard of. */
  async set(host: HostIdentity, trust: Trust, direction: keyof typeof SET): Promise<RegardedPeer> {
    return (await this.database.rows(SET[direction], [host, trust]))[0]!;
  }

  /** @param signatures what is demanded of its messages; null leaves that to the setting */
  async demand(host: HostIdentity, signatures: DemandedSignatures | null): Promise<RegardedPeer> {
    return (await this.database.rows(DEMAND, [host, signatures]))[0]!;
  }

  async find(host: HostIdentity): Promise<RegardedPeer | undefined> {
    return (await this.database.rows(FIND, [host]))[0];
  }
}
