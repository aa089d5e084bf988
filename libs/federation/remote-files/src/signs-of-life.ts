/** The requests of a share that are under way in this process. */
interface UnderWay {
  count: number;
  /** When the last one of them was answered, by the monotonic clock in milliseconds. */
  answeredAt: number;
}

/**
 * Tells slow shares from silent ones: a share that answered a request after another one began is there, however long it lets that one
 * wait. Shares without a request under way are not kept.
 */
export class SignsOfLife {
  private readonly shares = new Map<number, UnderWay>();

  /** Follows a request until `ended`, which has to be called. */
  follow(receivedShareId: number): FollowedRequest {
    const share = this.shares.get(receivedShareId) ?? { count: 0, answeredAt: -Infinity };
    this.shares.set(receivedShareId, share);
    share.count += 1;
    const askedAt = performance.now();
    return {
      askedAt,
      answered: () => (share.answeredAt = performance.now()),
      isAlone: () => share.answeredAt < askedAt,
      ended: () => {
        share.count -= 1;
        if (share.count === 0) this.shares.delete(receivedShareId);
      },
    };
  }
}

export interface FollowedRequest {
  readonly askedAt: number;
  answered(): void;
  /** Whether the share answered no other request since this one began. */
  isAlone(): boolean;
  ended(): void;
}
