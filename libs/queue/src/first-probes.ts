import { Injectable } from '@nestjs/common';
import { ChangeFeed } from '#persistence';
import { RequestReply } from './request-reply';

/** How long a list waits for the servers of shares that were accepted just now. */
const PATIENCE_MS = 1_000;

/** Waits for the first probe at shares that one user accepted. */
@Injectable()
export class FirstProbes {
  private readonly replies: RequestReply;

  constructor(feed: ChangeFeed) {
    this.replies = new RequestReply(feed);
  }

  /** @param read undefined while probes are missing @returns undefined when they did not come within a second */
  wait<T>(recipientUid: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    return this.replies.wait({ topic: 'first-look', key: recipientUid, read, timeoutMs: PATIENCE_MS });
  }
}
