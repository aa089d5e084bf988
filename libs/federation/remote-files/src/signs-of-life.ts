/** The requests of a share that are under way in this process. */
interface UnderWay {
  count: number;
  /** Time of the last answer, by the monotonic clock in milliseconds. */
  answeredAt: number;
}

/**
 * Distinguishes slow shares from silent ones: a share is not silent if it answered another request after this one began.
 * Shares without a request under way are not kept.
 */
export class SignsOfLife {
  private readonly shares = new Map<number, UnderWay>();

  /** Follows a request until `ended` is called. */
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
