import { Inject, Injectable } from '@nestjs/common';
import { ChangeFeed, ForeignLinkRepository, type SettledLink } from '#persistence';
import { Unavailable } from '#platform';
import { JobQueues } from './jobs/job-queues';
import { RequestReply } from './request-reply';

/** A job that is there is done within this time; one that is not was lost with its queue. */
const LOST_AFTER_SECONDS = 60;
const BATCH = 100;

/** A public link of another server that one of our users saves. */
export interface LinkToAskFor {
  readonly uid: string;
  readonly peerId: number;
  /** Finds the link again, and says nothing about its token. */
  readonly tokenHmac: Buffer;
  /** Token and password. */
  readonly sealedKeys: Buffer;
}

/** Has a worker ask another server for what a public link there shows. */
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
   * A link that its user has already is not asked for again.
   * @returns undefined when nothing came of it within `timeoutMs`; it goes on all the same
   */
  async save(link: LinkToAskFor, timeoutMs: number): Promise<SettledLink | undefined> {
    const { id, isNew } = await this.links.begin(link);
    if (isNew && !(await this.enter([id]))) return undefined;
    const read = (): Promise<SettledLink | undefined> => this.links.settled(id);
    return this.replies.wait({ topic: 'foreign-link', key: String(id), read, timeoutMs });
  }

  /**
   * Enters again what was never asked for: its queue was away, or lost it. A job that is still there is left as it is.
   * @param afterSeconds 0 where somebody without a queue says that there is a new one
   */
  async enterLost(afterSeconds = LOST_AFTER_SECONDS): Promise<void> {
    await this.enter(await this.links.leftWaiting(afterSeconds, BATCH));
  }

  /** @returns false where the queue is away: they are entered later */
  private async enter(linkIds: readonly number[]): Promise<boolean> {
    const jobs = linkIds.map((linkId) => ({ id: `foreign-link-${linkId}`, job: { v: 1 as const, linkId } }));
    return this.queues.add('foreign-links', jobs).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Unavailable) return false;
        throw error;
      },
    );
  }
}
