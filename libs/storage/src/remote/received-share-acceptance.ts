import { ReceivedShareRepository, type Database, type Queryable, type ReceivedShareRow } from '#persistence';
import type { ReceivedShares } from '../tree/received-shares';
import type { ReceivedShareDecisions } from './received-share-decisions';

/** Mounts shares that are accepted, by their recipients or for them. */
export class ReceivedShareAcceptance {
  private readonly shares: ReceivedShareRepository;

  constructor(
    database: Database,
    private readonly places: ReceivedShares,
    private readonly decisions: ReceivedShareDecisions,
  ) {
    this.shares = new ReceivedShareRepository(database);
  }

  /**
   * Gives a locked share its place in the recipient's tree, and writes the decision.
   * @param shareFolder where received shares appear; `/` or a path without trailing slash
   */
  async accept(
    transaction: Queryable,
    row: ReceivedShareRow,
    shareFolder: string,
  ): Promise<{ readonly fileTarget: string; readonly revision: number }> {
    const wished = `${shareFolder === '/' ? '' : shareFolder}/${row.name}`;
    const fileTarget = await this.places.freeTarget(transaction, row.recipientUid, wished);
    await this.shares.place(transaction, row.id, fileTarget);
    const revision = await this.decisions.write(transaction, row, 'accepted');
    await this.shares.announceProbe(transaction);
    return { fileTarget, revision };
  }
}
