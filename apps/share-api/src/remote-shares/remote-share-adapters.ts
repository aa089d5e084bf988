import { Injectable } from '@nestjs/common';
import { acceptReceived, answerToOffer, declineReceived } from '#federation/exchange';
import {
  baseUrlOf,
  hasFiles,
  LINK_DIALECT,
  localCloudId,
  parseCloudId,
  readLinkKeys,
  webappOf,
} from '#federation/protocol';
import {
  Database,
  ReceivedShareRepository,
  SeenOfferRepository,
  type ListedShareRow,
  type Queryable,
  type ReceivedShareRow,
} from '#persistence';
import { boundedCache, PublicAddress, SecretBox } from '#platform';
import { FirstProbes } from '#queue';
import { CachedPolicy } from '#settings';
import type {
  ReceivedShare,
  ReceivedShareDecision,
  ReceivedSharePorts,
  ReceivedShareState,
  ReceivedShareStore,
} from '#sharing';
import { ReceivedShareAcceptance } from '#storage';

const WAITED_AT_MOST = 10_000;
/** Longer than a share counts as just accepted. */
const WAITED_MS = 60_000;

/** Received shares in the database. A decision and all its effects are stored in one transaction. */
@Injectable()
export class ReceivedSharesOfUsers implements ReceivedShareStore {
  /** By id: two callers that need the same probe share one wait. */
  private readonly waited = boundedCache<true>(WAITED_AT_MOST, WAITED_MS);

  constructor(
    private readonly database: Database,
    private readonly shares: ReceivedShareRepository,
    private readonly secrets: SecretBox,
    private readonly acceptance: ReceivedShareAcceptance,
    private readonly probes: FirstProbes,
    private readonly sightings: SeenOfferRepository,
    private readonly address: PublicAddress,
  ) {}

  async list(recipientUid: string, states: readonly ReceivedShareState[]): Promise<ReceivedShare[]> {
    const rows = await this.seen(recipientUid, () => this.shares.list(recipientUid, states));
    return rows.map((row) => this.shareOf(row));
  }

  async find(id: number, recipientUid: string): Promise<ReceivedShare | undefined> {
    const [row] = await this.seen(recipientUid, async () => {
      const found = await this.shares.find(id, recipientUid);
      return found ? [found] : [];
    });
    return row && this.shareOf(row);
  }

  /** Waits for shares that were just accepted, once per share in this process. */
  private async seen(
    recipientUid: string,
    read: () => Promise<ListedShareRow[]>,
  ): Promise<readonly ListedShareRow[]> {
    const rows = await read();
    const awaited = new Set(
      rows.filter((row) => row.awaitsProbe && !this.waited.get(String(row.id))).map(({ id }) => id),
    );
    if (awaited.size === 0) return rows;
    for (const id of awaited) this.waited.set(String(id), true);
    const readSeen = async (): Promise<ListedShareRow[] | undefined> => {
      const now = await read();
      return now.some(({ id, awaitsProbe }) => awaitsProbe && awaited.has(id)) ? undefined : now;
    };
    return (await this.probes.wait(recipientUid, readSeen)) ?? read();
  }

  /** In one transaction with the messages about it. */
  async noteSeen(recipientUid: string, shares: readonly ReceivedShare[]): Promise<void> {
    await this.sightings.note(
      recipientUid,
      shares.map(({ id }) => id),
      (share) => {
        const grantee = localCloudId(recipientUid, this.address.url).raw;
        return answerToOffer(share, { kind: 'seen' }, share.revision, grantee);
      },
    );
  }

  decide(
    id: number,
    recipientUid: string,
    decide: (share: ReceivedShare) => ReceivedShareDecision | undefined,
  ): Promise<ReceivedShare | undefined> {
    return this.database.transaction(async (transaction) => {
      const row = await this.shares.lock(transaction, id, recipientUid);
      const decision = row && decide(this.shareOf(row));
      return decision && this.carryOut(transaction, row, decision);
    });
  }

  private async carryOut(
    transaction: Queryable,
    row: ReceivedShareRow,
    { state, shareFolder, reason }: ReceivedShareDecision,
  ): Promise<ReceivedShare> {
    const changes = this.acceptance.within(transaction);
    if (state === 'accepted') {
      const placed = await acceptReceived(changes, row, shareFolder);
      return this.shareOf({ ...row, state, ...placed });
    }
    const revision = await declineReceived(changes, row, reason);
    return this.shareOf({ ...row, state, fileTarget: null, revision });
  }

  /** For a public link that is read directly, the stored text also contains its password. */
  private tokenOf({ dialect, tokenEnc }: ReceivedShareRow): string {
    const secret = this.secrets.open(tokenEnc);
    return dialect === LINK_DIALECT ? (readLinkKeys(secret)?.token.reveal() ?? '') : secret;
  }

  private shareOf(row: ReceivedShareRow & Partial<Pick<ListedShareRow, 'rootId'>>): ReceivedShare {
    const owner = parseCloudId(row.owner);
    const webapp = webappOf(row.access);
    return {
      id: row.id,
      remote: baseUrlOf(owner, owner.scheme ?? 'https'),
      providerId: row.providerId,
      shareToken: this.tokenOf(row),
      name: row.name,
      owner: owner.user,
      ownerDisplayName: row.ownerDisplayName,
      sender: row.sender,
      senderDisplayName: row.senderDisplayName,
      description: row.description,
      verified: row.verified,
      recipientUid: row.recipientUid,
      state: row.state,
      fileTarget: row.fileTarget,
      rootId: row.rootId ?? null,
      kind: row.kind,
      permissions: row.permissions,
      expiresAtSeconds: row.expiresAt && Math.floor(row.expiresAt.getTime() / 1000),
      isSeen: row.isSeen,
      mimetype: row.mimetype,
      mtimeSeconds: Math.floor((row.mtime ?? row.receivedAt).getTime() / 1000),
      unreachableSinceSeconds: row.unreachableSince && Math.floor(row.unreachableSince.getTime() / 1000),
      hasFiles: hasFiles(row.access),
      webapp: webapp ? { appName: webapp.appName, permissions: webapp.permissions } : null,
    };
  }
}

/** Ports of the use cases of received shares. */
@Injectable()
export class RemoteSharePorts implements ReceivedSharePorts {
  constructor(
    readonly received: ReceivedSharesOfUsers,
    readonly policy: CachedPolicy,
  ) {}
}
