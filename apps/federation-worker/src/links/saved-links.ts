import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { PartnerLinks } from '#federation/client';
import { saveLink, type SaveLinkPorts } from '#federation/exchange';
import type { LinkPlace } from '#federation/protocol';
import { REMOTE_FILES, type RemoteFiles } from '#federation/remote-files';
import { AccountDirectory } from '#identity';
import { ForeignLinkRepository, ReceivedShareRepository, type PeerRow } from '#persistence';
import { actingFor, LOGGER, PublicAddress, SecretBox, type Logger } from '#platform';
import { CachedPolicy } from '#settings';
import { parseName, ReceivedShareAcceptance, TreeFailure } from '#storage';
import { CalledPartners } from '../partners/called-partners';
import { RemoteLink } from './remote-link';

/** Saves public links of other servers for our users. */
@Injectable()
export class SavedLinks implements SaveLinkPorts<PeerRow> {
  readonly links: SaveLinkPorts['links'];

  constructor(
    rows: ForeignLinkRepository,
    private readonly shares: ReceivedShareRepository,
    @Inject(REMOTE_FILES) private readonly files: RemoteFiles,
    readonly partners: CalledPartners,
    readonly calls: PartnerLinks,
    readonly acceptance: ReceivedShareAcceptance,
    readonly accounts: AccountDirectory,
    readonly policy: CachedPolicy,
    readonly secrets: SecretBox,
    private readonly address: PublicAddress,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.links = {
      waiting: (id) => rows.waiting(id),
      asked: (id, providerId) => rows.asked(id, providerId),
      refuse: ({ id, uid }, reason, words) =>
        actingFor({ kind: 'user', uid }, () => rows.refuse(id, reason, words)),
    };
  }

  /** Known only after the server listens. */
  get publicUrl(): string {
    return this.address.url;
  }

  async save(linkId: number): Promise<void> {
    const asked = await saveLink(this, linkId);
    if (!asked) return;
    const { hostKey: partner, reason } = asked;
    this.logger.info(
      { subsystem: 'foreign-links', partner, reason },
      'a partner was asked for what a public link shows',
    );
  }

  reader(partner: PeerRow, place: LinkPlace, sealedKeys: Buffer): RemoteLink {
    return new RemoteLink(this.files, partner, place, sealedKeys);
  }

  isName(name: string): boolean {
    try {
      return parseName(name) === name;
    } catch (error) {
      if (error instanceof TreeFailure) return false;
      throw error;
    }
  }

  async keep(...[uid, share]: Parameters<SaveLinkPorts['keep']>): Promise<number | undefined> {
    // No partner's message refers to it, so it is not found by a secret.
    const stored = await this.shares.insert({ ...share, tokenHmac: randomBytes(32) }, [uid], '');
    const id = stored.get(uid);
    return typeof id === 'number' ? id : undefined;
  }
}
