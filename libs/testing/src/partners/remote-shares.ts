import type { Database } from '#persistence';
import { PeerRepository, ReceivedShareRepository } from '#persistence';
import { SecretBox } from '#platform';
import type { RemoteShare } from '#federation/remote-files';
import type { DavPartner, DavShare } from '.';

const ADD_ACCOUNT = `INSERT INTO user_account (uid, display_name, password_hash) VALUES ($1, $1, '') ON CONFLICT DO NOTHING`;

/** Differences of an offer from the one that its partner would make. */
export interface OfferedAs {
  readonly dialect?: RemoteShare['dialect'];
  readonly webdavUri?: string | null;
  readonly requirements?: readonly string[];
}

const RECIPIENT = 'recipient';

/** Received shares of fake partners: their rows in the database, and their form for reading content. */
export class RemoteShares {
  readonly secrets = new SecretBox(() => Buffer.alloc(32, 7));
  readonly peers: PeerRepository;

  constructor(private readonly database: Database) {
    this.peers = new PeerRepository(database);
  }

  /** Stores a received share; with `ocm-multi` it has an address if its partner has one per share. */
  async receive(
    partner: Pick<DavPartner, 'hostKey'>,
    offered: Pick<DavShare, 'providerId' | 'secret' | 'root'>,
    as: OfferedAs = {},
  ): Promise<RemoteShare> {
    await this.database.dataSource.query(ADD_ACCOUNT, [RECIPIENT]);
    const peer = await this.peers.ensure(partner.hostKey);
    const isMulti = offered.root.endsWith(`/${offered.providerId}`);
    const { dialect = isMulti ? 'ocm-multi' : 'ocm-webdav', requirements = [] } = as;
    const access = {
      webdavUri: as.webdavUri === undefined ? (isMulti ? offered.root : null) : as.webdavUri,
      requirements,
    };
    const share = {
      peerId: peer.id,
      providerId: offered.providerId,
      name: 'shared',
      dialect,
      access,
    };
    const sealedSecret = this.secrets.seal(offered.secret);
    const stored = await new ReceivedShareRepository(this.database).insert(
      {
        ...share,
        tokenHmac: this.secrets.lookup(offered.secret),
        tokenEnc: sealedSecret,
        webappTokenEnc: null,
        owner: `owner@${partner.hostKey}`,
        ownerDisplayName: '',
        sender: `owner@${partner.hostKey}`,
        senderDisplayName: '',
        description: '',
        kind: null,
        permissions: 31,
        expiresAt: null,
        verified: false,
      },
      [RECIPIENT],
      'offered',
    );
    return {
      ...share,
      receivedShareId: Number(stored.get(RECIPIENT)),
      hostKey: partner.hostKey,
      sealedSecret,
    };
  }
}
