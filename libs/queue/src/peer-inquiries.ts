import { Injectable } from '@nestjs/common';
import { ChangeFeed, PeerRepository, type PeerRow } from '#persistence';
import { askPartner } from './discovery-jobs';
import { JobQueues } from './jobs/job-queues';
import { RequestReply } from './request-reply';

/** Lets a worker discover a partner, for processes that open no connections. */
@Injectable()
export class PeerInquiries {
  private readonly replies: RequestReply;

  constructor(
    private readonly peers: PeerRepository,
    private readonly queues: JobQueues,
    feed: ChangeFeed,
  ) {
    this.replies = new RequestReply(feed);
  }

  /**
   * The partner of this host with a valid profile, or with the reason why discovery failed.
   * Concurrent callers cause one request, and there is none while a failure is remembered.
   * @returns undefined if neither is known within `timeoutMs`; the request continues
   */
  async profileOf(namedHost: string, timeoutMs: number): Promise<PeerRow | undefined> {
    const known = await this.peers.ensure(namedHost);
    if (isSettled(known)) return known;
    const { hostKey } = known;
    await askPartner(this.queues, hostKey, true);
    const read = async (): Promise<PeerRow | undefined> => {
      const peer = await this.peers.find(hostKey);
      return peer && isSettled(peer) ? peer : undefined;
    };
    return this.replies.wait({ topic: 'peer', key: hostKey, read, timeoutMs });
  }
}

function isSettled({ pinnedProfile, profileExpiresAt, discoveryFailedUntil }: PeerRow): boolean {
  const now = Date.now();
  const failed = discoveryFailedUntil !== null && discoveryFailedUntil.getTime() > now;
  return pinnedProfile !== null || failed || (profileExpiresAt !== null && profileExpiresAt.getTime() > now);
}
