import { Inject, Injectable } from '@nestjs/common';
import { ChangeFeed, ForeignLinkRepository, type SettledLink } from '#persistence';
import { JobQueues } from './jobs/job-queues';
import { addJobsOfRows, LOST_AFTER_SECONDS, LOST_BATCH } from './jobs/jobs-of-rows';
import { RequestReply } from './request-reply';

/** A public link of another server that one of our users saves. */
export interface LinkToAskFor {
  readonly uid: string;
  readonly peerId: number;
  /** Finds the link again without revealing its token. */
  readonly tokenHmac: Buffer;
  /** Token and password of the link. */
  readonly sealedKeys: Buffer;
}

/** Lets a worker ask another server for the node of a public link. */
@Injectable()
export class ForeignLinks {
  private readonly replies: RequestReply;

  constructor(
    private readonly links: ForeignLinkRepository,
    @Inject(JobQueues) private readonly queues: Pick<JobQueues, 'add'>,
    feed: ChangeFeed,
  ) {
    this.replies = new RequestReply(feed);
  }

  /**
   * A link that its user already has is not requested again.
   * @returns undefined without a result within `timeoutMs`; the work continues
   */
  async save(link: LinkToAskFor, timeoutMs: number): Promise<SettledLink | undefined> {
    const { id, isNew } = await this.links.begin(link);
    if (isNew && !(await this.enter([id]))) return undefined;
    const read = (): Promise<SettledLink | undefined> => this.links.settled(id);
    return this.replies.wait({ topic: 'foreign-link', key: String(id), read, timeoutMs });
  }

  /**
   * Adds jobs again for links whose server was never asked, because the queue was away or lost them. Existing jobs stay.
   * @param afterSeconds 0 when a process without a queue announces a new link
   */
  async enterLost(afterSeconds = LOST_AFTER_SECONDS): Promise<void> {
    await this.enter(await this.links.leftWaiting(afterSeconds, LOST_BATCH));
  }

  /** @returns false if the queue is away: the jobs are added later */
  private enter(linkIds: readonly number[]): Promise<boolean> {
    const jobs = linkIds.map((linkId) => ({ id: `foreign-link-${linkId}`, job: { v: 1 as const, linkId } }));
    return addJobsOfRows(this.queues, 'foreign-links', jobs);
  }
}
