import { Inject, Injectable } from '@nestjs/common';
import { ChangeFeed, MailLookupRepository } from '#persistence';
import { JobQueues } from './jobs/job-queues';
import { addJobsOfRows, LOST_AFTER_SECONDS, LOST_BATCH } from './jobs/jobs-of-rows';
import { RequestReply } from './request-reply';

/** Lets a worker ask the server of a mail address for the account of its person. */
@Injectable()
export class MailLookups {
  private readonly replies: RequestReply;

  constructor(
    private readonly lookups: MailLookupRepository,
    @Inject(JobQueues) private readonly queues: Pick<JobQueues, 'add'>,
    feed: ChangeFeed,
  ) {
    this.replies = new RequestReply(feed);
  }

  /**
   * @param spend counts a question to another server, before it is asked; a remembered result costs nothing
   * @returns the cloud id; undefined for none, and without a result within `timeoutMs`: the work then continues
   */
  async find(mail: string, spend: () => Promise<void>, timeoutMs: number): Promise<string | undefined> {
    const id = (await this.lookups.known(mail)) ?? (await this.begin(mail, spend));
    if (id === undefined) return undefined;
    const read = (): Promise<{ readonly cloudId: string | null } | undefined> => this.lookups.settled(id);
    const settled = await this.replies.wait({ topic: 'mail-lookup', key: String(id), read, timeoutMs });
    return settled?.cloudId ?? undefined;
  }

  /** Adds jobs again for lookups whose server was never asked, because the queue was away or lost them. */
  async enterLost(): Promise<void> {
    await this.enter(await this.lookups.leftWaiting(LOST_AFTER_SECONDS, LOST_BATCH));
  }

  private async begin(mail: string, spend: () => Promise<void>): Promise<number | undefined> {
    await spend();
    const { id, isNew } = await this.lookups.begin(mail);
    return isNew && !(await this.enter([id])) ? undefined : id;
  }

  /** @returns false if the queue is away: the jobs are added later */
  private enter(lookupIds: readonly number[]): Promise<boolean> {
    const jobs = lookupIds.map((lookupId) => ({
      id: `mail-lookup-${lookupId}`,
      job: { v: 1 as const, lookupId },
    }));
    return addJobsOfRows(this.queues, 'mail-lookups', jobs);
  }
}
