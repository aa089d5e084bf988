import { Injectable } from '@nestjs/common';
import { AccountDirectory } from '#identity';
import { ok, type OcsReply } from '#ocs/http';
import { CachedPolicy } from '#persistence';
import { PublicAddress } from '#platform';
import type { ShareView } from '#sharing';
import { shareRecord, shareRecords, uidsIn, type RecordContext } from './share-record';

/** Answers with share records. */
@Injectable()
export class SharePresenter {
  constructor(
    private readonly directory: AccountDirectory,
    private readonly policy: CachedPolicy,
    private readonly address: PublicAddress,
  ) {}

  /** The record directly under `data`. */
  async one(view: ShareView): Promise<OcsReply> {
    return ok(shareRecord(view, await this.contextOf([view])));
  }

  /** Records as a list; `tags` by node id where they were asked for. */
  async list(views: readonly ShareView[], tags?: RecordContext['tags']): Promise<OcsReply> {
    return ok(shareRecords(views, { ...(await this.contextOf(views)), tags }));
  }

  /** Who is named costs no statement when all are in memory, one otherwise. */
  private async contextOf(views: readonly ShareView[]): Promise<RecordContext> {
    const [accounts, policy] = await Promise.all([this.directory.findMany(uidsIn(views)), this.policy.current()]);
    return { accounts, additionalInfo: policy.additionalInfo, publicUrl: this.address.url };
  }
}
