import { Inject, Injectable } from '@nestjs/common';
import { ChangeFeed, InvitationAcceptanceRepository, type SettledAcceptance } from '#persistence';
import { Unavailable } from '#platform';
import { JobQueues } from './jobs/job-queues';
import { RequestReply } from './request-reply';

/** A job that is there is done within this time; one that is not was lost with its queue. */
const LOST_AFTER_SECONDS = 60;
const BATCH = 100;

/** Has a worker tell a partner that one of our users accepts an invitation. */
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
   * @returns undefined when the partner's word did not come within `timeoutMs`; it is told all the same
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

  /** Enters again what was never told: its queue was away, or lost it. A job that is still there is left as it is. */
  async enterLost(): Promise<void> {
    await this.enter(await this.acceptances.leftWaiting(LOST_AFTER_SECONDS, BATCH));
  }

  /** @returns false where the queue is away: they are entered later */
  private async enter(acceptanceIds: readonly number[]): Promise<boolean> {
    const jobs = acceptanceIds.map((acceptanceId) => ({
      id: `invitation-${acceptanceId}`,
      job: { v: 1 as const, acceptanceId },
    }));
    return this.queues.add('invitations', jobs).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Unavailable) return false;
        throw error;
      },
    );
  }
}
