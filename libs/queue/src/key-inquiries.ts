import { Injectable } from '@nestjs/common';
import { ChangeFeed, PartnerKeysRepository, PeerRepository, type PartnerKeysRow } from '#persistence';
import { askPartner } from './discovery-jobs';
import { JobQueues } from './jobs/job-queues';
import { RequestReply } from './request-reply';

/** Minimum time between requests of all replicas for a partner's keys: anybody can cause such a request with a wrong signature. */
const EVERY_SECONDS = 60;

/** Lets a worker read the keys of a partner, for processes that open no connections. */
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
   * The present keys of this host, or those of a request within the last minute.
   * @returns undefined if they are not known within `timeoutMs`; the request continues
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
