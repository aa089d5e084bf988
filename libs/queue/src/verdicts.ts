import { Injectable } from '@nestjs/common';
import { ChangeFeed, OutboxRepository, type MessageVerdict } from '#persistence';
import { inSpan } from '#platform';
import { RequestReply } from './request-reply';

/** Waits for a partner's answer to a message that was just written. */
@Injectable()
export class Verdicts {
  private readonly replies: RequestReply;

  constructor(
    private readonly outbox: OutboxRepository,
    feed: ChangeFeed,
  ) {
    this.replies = new RequestReply(feed);
  }

  /**
   * State of the message after the first attempt: also `pending`, if it failed and will be repeated, and at once if
   * the partner gets no messages at the moment.
   * @param isNew whether the message was written a moment ago, to a partner that gets messages
   * @returns undefined if no attempt was made within `timeoutMs`
   */
  wait(messageId: number, timeoutMs: number, isNew = false): Promise<MessageVerdict | undefined> {
    const read = async (): Promise<MessageVerdict | undefined> => {
      const verdict = await this.outbox.verdict(messageId);
      const isKnown = verdict && (verdict.attempts > 0 || verdict.isHeld || verdict.state === 'cancelled');
      return isKnown ? verdict : undefined;
    };
    return inSpan('wait for the verdict', { kind: 'internal' }, () =>
      this.replies.wait({ topic: 'delivery', key: String(messageId), read, timeoutMs, isNew }),
    );
  }
}
