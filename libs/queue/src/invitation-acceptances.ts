import { Inject, Injectable } from '@nestjs/common';
import { ChangeFeed, InvitationAcceptanceRepository, type SettledAcceptance } from '#persistence';
import { JobQueues } from './jobs/job-queues';
import { addJobsOfRows, LOST_AFTER_SECONDS, LOST_BATCH } from './jobs/jobs-of-rows';
import { RequestReply } from './request-reply';

/** Lets a worker tell a partner that one of our users accepts an invitation. */
@Injectable()
export class InvitationAcceptances {
  private readonly replies: RequestReply;

  constructor(
    private readonly acceptances: InvitationAcceptanceRepository,
    @Inject(JobQueues) private readonly queues: Pick<JobQueues, 'add'>,
    feed: ChangeFeed,
  ) {
    this.replies = new RequestReply(feed);
  }

  /**
   * @param sealedToken sealed token of the invitation
   * @returns undefined if the partner does not answer within `timeoutMs`; the work continues
   */
  async accept(
    uid: string,
    peerId: number,
    sealedToken: Buffer,
    timeoutMs: number,
  ): Promise<SettledAcceptance | undefined> {
    const acceptanceId = await this.acceptances.insert(uid, peerId, sealedToken);
    if (!(await this.enter([acceptanceId]))) return undefined;
    const read = (): Promise<SettledAcceptance | undefined> => this.acceptances.settled(acceptanceId);
    return this.replies.wait({ topic: 'invitation', key: String(acceptanceId), read, timeoutMs });
  }

  /** Adds jobs again for acceptances that were never sent, because the queue was away or lost them. Existing jobs stay. */
  async enterLost(): Promise<void> {
    await this.enter(await this.acceptances.leftWaiting(LOST_AFTER_SECONDS, LOST_BATCH));
  }

  /** @returns false if the queue is away: the jobs are added later */
  private enter(acceptanceIds: readonly number[]): Promise<boolean> {
    const jobs = acceptanceIds.map((acceptanceId) => ({
      id: `invitation-${acceptanceId}`,
      job: { v: 1 as const, acceptanceId },
    }));
    return addJobsOfRows(this.queues, 'invitations', jobs);
  }
}
