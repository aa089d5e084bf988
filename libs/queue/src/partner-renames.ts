import { Inject, Injectable } from '@nestjs/common';
import type { RenameRequest } from '#federation/exchange';
import { ChangeFeed, PartnerRenameRepository, type SettledRename } from '#persistence';
import { JobQueues } from './jobs/job-queues';
import { RequestReply } from './request-reply';

/** Has a worker rename a partner: for those who open no connection themselves. */
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
   * One that is under way is waited for, and enters its job again: a queue may have lost it.
   * @param uid the administrator who asks for it
   * @returns undefined when nothing came of it within `timeoutMs`; it goes on all the same
   * @throws Unavailable while the queue is away
   */
  async rename(uid: string, request: RenameRequest, timeoutMs: number): Promise<SettledRename | undefined> {
    const id = await this.renames.begin(uid, request);
    await this.queues.add('partner-renames', [{ id: `partner-rename-${id}`, job: { v: 1, renameId: id } }]);
    const read = (): Promise<SettledRename | undefined> => this.renames.settled(id);
    return this.replies.wait({ topic: 'partner-rename', key: String(id), read, timeoutMs });
  }

  /** Result of the last one between these hosts: `waiting` where nothing came of it yet, undefined for none. */
  last({ from, to }: Pick<RenameRequest, 'from' | 'to'>): Promise<SettledRename | 'waiting' | undefined> {
    return this.renames.last(from, to);
  }
}
