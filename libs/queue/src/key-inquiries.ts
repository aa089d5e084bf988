import { Injectable } from '@nestjs/common';
import { ChangeFeed, PartnerKeysRepository, PeerRepository, type PartnerKeysRow } from '#persistence';
import { askPartner } from './discovery-jobs';
import { JobQueues } from './jobs/job-queues';
import { RequestReply } from './request-reply';

/** All replicas together have a partner asked for its keys so often: anybody can cause it with a signature that is wrong. */
const EVERY_SECONDS = 60;

/** Has a worker read the keys of a partner, for those who open no connection themselves. */
@Injectable()
export class KeyInquiries {
  private readonly replies: RequestReply;

  constructor(
    private readonly peers: PeerRepository,
    private readonly keys: PartnerKeysRepository,
    private readonly queues: JobQueues,
    feed: ChangeFeed,
  ) {
    this.replies = new RequestReply(feed);
  }

  /**
   * The keys of this host as they are now, or as they were when it was asked within the last minute.
   * @returns undefined when they are not known within `timeoutMs`; the question goes on
   */
  async keysOf(namedHost: string, timeoutMs: number): Promise<PartnerKeysRow | undefined> {
    const { id, hostKey } = await this.peers.ensure(namedHost);
    if (await this.keys.claim(id, EVERY_SECONDS)) await askPartner(this.queues, hostKey, false);
    const read = async (): Promise<PartnerKeysRow | undefined> => {
      const row = await this.keys.find(hostKey);
      return row?.isAnswered ? row : undefined;
    };
    return this.replies.wait({ topic: 'partner-keys', key: String(id), read, timeoutMs });
  }
}
