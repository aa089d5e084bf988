import { Injectable } from '@nestjs/common';
import type { NoticePayload } from '#federation/delivery';
import { baseUrlOf, localCloudId, parseCloudId } from '#federation/protocol';
import {
  Database,
  OutboxRepository,
  ReceivedShareNoticeRepository,
  ReceivedShareRepository,
  type Queryable,
  type ReceivedShareRow,
} from '#persistence';
import { PublicAddress, SecretBox } from '#platform';
import { CachedPolicy } from '#settings';
import type {
  ReceivedShare,
  ReceivedShareDecision,
  ReceivedSharePorts,
  ReceivedShareState,
  ReceivedShareStore,
} from '#sharing';
import { ReceivedShares } from '#storage';

/** Received shares in the database; decisions on them with everything that follows, in one transaction. */
@Injectable()
export class StoredReceivedShares implements ReceivedShareStore {
  constructor(
    private readonly database: Database,
    private readonly shares: ReceivedShareRepository,
    private readonly outbox: OutboxRepository,
    private readonly secrets: SecretBox,
    private readonly address: PublicAddress,
    private readonly places: ReceivedShares,
  ) {}

  async list(recipientUid: string, states: readonly ReceivedShareState[]): Promise<ReceivedShare[]> {
    return (await this.shares.list(recipientUid, states)).map((row) => this.shareOf(row));
  }

  async find(id: number, recipientUid: string): Promise<ReceivedShare | undefined> {
    const row = await this.shares.find(id, recipientUid);
    return row && this.shareOf(row);
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
    { state, tellPartner, shareFolder }: ReceivedShareDecision,
  ): Promise<ReceivedShare> {
    const { id, recipientUid } = row;
    let fileTarget: string | null = null;
    if (state === 'accepted') {
      const wished = `${shareFolder === '/' ? '' : shareFolder}/${row.name}`;
      fileTarget = await this.places.freeTarget(transaction, recipientUid, wished);
      await this.shares.place(transaction, id, fileTarget);
    }
    const revision = await this.shares.changeState(transaction, id, state);
    await new ReceivedShareNoticeRepository(transaction).remove(recipientUid, id);
    if (tellPartner) await this.tell(transaction, row, state, revision);
    return this.shareOf({ ...row, state, fileTarget, revision });
  }

  /** The message outlives the row: whatever its sender needs is in it. */
  private async tell(
    transaction: Queryable,
    row: ReceivedShareRow,
    state: ReceivedShareDecision['state'],
    revision: number,
  ): Promise<void> {
    const payload: NoticePayload = {
      providerId: row.providerId,
      grantee: localCloudId(row.recipientUid, this.address.url).raw,
    };
    await this.outbox.write(transaction, {
      kind: state === 'accepted' ? 'received-accept' : 'received-decline',
      subject: { type: 'received-share', id: row.id },
      peerId: row.peerId,
      revision,
      payload,
      sealedSecret: row.tokenEnc,
    });
  }

  private shareOf(row: ReceivedShareRow): ReceivedShare {
    const owner = parseCloudId(row.owner);
    return {
      id: row.id,
      remote: baseUrlOf(owner, owner.scheme ?? 'https'),
      providerId: row.providerId,
      shareToken: this.secrets.open(row.tokenEnc),
      name: row.name,
      owner: owner.user,
      recipientUid: row.recipientUid,
      state: row.state,
      fileTarget: row.fileTarget,
      kind: row.kind,
      permissions: row.permissions,
      mimetype: row.mimetype,
      mtimeSeconds: Math.floor((row.mtime ?? row.receivedAt).getTime() / 1000),
    };
  }
}

/** Everything that a use case of received shares reaches outside for. */
@Injectable()
export class RemoteSharePorts implements ReceivedSharePorts {
  constructor(
    readonly received: StoredReceivedShares,
    readonly policy: CachedPolicy,
  ) {}
}
