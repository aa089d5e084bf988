import { Injectable } from '@nestjs/common';
import { baseUrlOf, parseCloudId } from '#federation/protocol';
import { Database, ReceivedShareRepository, type Queryable, type ReceivedShareRow } from '#persistence';
import { SecretBox } from '#platform';
import { CachedPolicy } from '#settings';
import type {
  ReceivedShare,
  ReceivedShareDecision,
  ReceivedSharePorts,
  ReceivedShareState,
  ReceivedShareStore,
} from '#sharing';
import { ReceivedShareAcceptance, ReceivedShareDecisions } from '#storage';

/** Received shares in the database; decisions on them with everything that follows, in one transaction. */
@Injectable()
export class StoredReceivedShares implements ReceivedShareStore {
  constructor(
    private readonly database: Database,
    private readonly shares: ReceivedShareRepository,
    private readonly secrets: SecretBox,
    private readonly acceptance: ReceivedShareAcceptance,
    private readonly decisions: ReceivedShareDecisions,
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
    { state, shareFolder }: ReceivedShareDecision,
  ): Promise<ReceivedShare> {
    if (state === 'accepted') {
      const placed = await this.acceptance.accept(transaction, row, shareFolder);
      return this.shareOf({ ...row, state, ...placed });
    }
    const revision = await this.decisions.write(transaction, row, state);
    return this.shareOf({ ...row, state, fileTarget: null, revision });
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
      unreachableSinceSeconds: row.unreachableSince && Math.floor(row.unreachableSince.getTime() / 1000),
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
