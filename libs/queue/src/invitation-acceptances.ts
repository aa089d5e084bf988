import { Injectable } from '@nestjs/common';
import { ChangeFeed, InvitationAcceptanceRepository, type SettledAcceptance } from '#persistence';
import { JobQueues } from './jobs/job-queues';
import { RequestReply } from './request-reply';

/** Has a worker tell a partner that one of our users accepts an invitation. */
@Injectable()
export class InvitationAcceptances {
  private readonly replies: RequestReply;

  constructor(
    private readonly acceptances: InvitationAcceptanceRepository,
    private readonly queues: JobQueues,
    feed: ChangeFeed,
  ) {
    this.replies = new RequestReply(feed);
  }

  /**
   * @param sealedToken what the invitation is accepted with
   * @returns undefined when the partner's word did not come within `timeoutMs`; it is told all the same
   */
  async accept(
    uid: string,
    peerId: number,
    sealedToken: Buffer,
    timeoutMs: number,
  ): Promise<SettledAcceptance | undefined> {
    const acceptanceId = await this.acceptances.insert(uid, peerId, sealedToken);
    await this.queues.add('invitations', [{ id: `invitation-${acceptanceId}`, job: { v: 1, acceptanceId } }]);
    const read = (): Promise<SettledAcceptance | undefined> => this.acceptances.settled(acceptanceId);
    return this.replies.wait({ topic: 'invitation', key: String(acceptanceId), read, timeoutMs });
  }
}
