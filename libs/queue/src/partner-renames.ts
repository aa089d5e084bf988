import { Inject, Injectable } from '@nestjs/common';
import type { RenameRequest } from '#federation/exchange';
import { ChangeFeed, PartnerRenameRepository, type SettledRename } from '#persistence';
import { JobQueues } from './jobs/job-queues';
import { RequestReply } from './request-reply';

/** Asks a worker to rename a partner: for processes that open no connections to partners. */
@Injectable()
export class PartnerRenames {
  private readonly replies: RequestReply;

  constructor(
    private readonly renames: PartnerRenameRepository,
    @Inject(JobQueues) private readonly queues: Pick<JobQueues, 'add'>,
    feed: ChangeFeed,
  ) {
    this.replies = new RequestReply(feed);
  }

  /**
   * If the rename is already waiting, its job is added again, because a queue may have lost it.
   * @param uid the administrator who asks for it
   * @returns undefined without a result within `timeoutMs`; the rename continues
   * @throws Unavailable while the queue is unreachable
   */
  async rename(uid: string, request: RenameRequest, timeoutMs: number): Promise<SettledRename | undefined> {
    const id = await this.renames.begin(uid, request);
    await this.queues.add('partner-renames', [{ id: `partner-rename-${id}`, job: { v: 1, renameId: id } }]);
    const read = (): Promise<SettledRename | undefined> => this.renames.settled(id);
    return this.replies.wait({ topic: 'partner-rename', key: String(id), read, timeoutMs });
  }

  /** Result of the last rename between these hosts: `waiting` without a result yet, undefined for none. */
  last({ from, to }: Pick<RenameRequest, 'from' | 'to'>): Promise<SettledRename | 'waiting' | undefined> {
    return this.renames.last(from, to);
  }
}
