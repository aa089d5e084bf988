import { Injectable } from '@nestjs/common';
import { AccountDirectory } from '#identity';
import { ok, type OcsReply } from '#ocs/http';
import { CachedPolicy } from '#settings';
import { PublicAddress } from '#platform';
import type { ShareView } from '#sharing';
import { shareRecord, shareRecords, streamedRecords, uidsIn, type RecordContext } from './share-record';

/** A page of a list; `tags` by node id if they were requested. */
export interface TaggedViews {
  readonly views: readonly ShareView[];
  readonly tags: RecordContext['tags'];
}

/** Builds answers with share records. */
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

  /** Records as a list. */
  async list(views: readonly ShareView[], tags?: RecordContext['tags']): Promise<OcsReply> {
    return ok(shareRecords(views, { ...(await this.contextOf(views)), tags }));
  }

  /** One share as a list, with its group members at partners. */
  async read(view: ShareView, members: RecordContext['members']): Promise<OcsReply> {
    return ok(shareRecords([view], { ...(await this.contextOf([view])), members }));
  }

  /** Like `list`, for pages that are read one after the other while the reply is sent. */
  stream(pages: AsyncIterable<TaggedViews>): OcsReply {
    const records = async function* (this: SharePresenter) {
      for await (const { views, tags } of pages)
        yield { views, context: { ...(await this.contextOf(views)), tags } };
    };
    return ok(streamedRecords(() => records.call(this)));
  }

  /** Reads the named accounts with one statement, or none if all are in memory. */
  private async contextOf(views: readonly ShareView[]): Promise<RecordContext> {
    const [accounts, policy] = await Promise.all([
      this.directory.findMany(uidsIn(views)),
      this.policy.current(),
    ]);
    return { accounts, additionalInfo: policy.additionalInfo, publicUrl: this.address.url };
  }
}
