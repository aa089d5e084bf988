import { Injectable } from '@nestjs/common';
import { ChangeFeed } from '#persistence';
import { RequestReply } from './request-reply';

/** Time that a list waits for the first probes of shares that were just accepted. */
const PATIENCE_MS = 1_000;

/** Waits for the first probes of shares that a user accepted. */
@Injectable()
export class FirstProbes {
  private readonly replies: RequestReply;

  constructor(feed: ChangeFeed) {
    this.replies = new RequestReply(feed);
  }

  /** @param read undefined while probes are missing @returns undefined if they did not come within a second */
  wait<T>(recipientUid: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    return this.replies.wait({ topic: 'first-look', key: recipientUid, read, timeoutMs: PATIENCE_MS });
  }
}
