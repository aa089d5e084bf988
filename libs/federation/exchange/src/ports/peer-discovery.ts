/** Finds out what a partner is. */
export interface PeerDiscovery {
  /**
   * Asks the partner and keeps what it found, or that it found nothing. Everything that the partner does is kept as a
   * result; only our own failures are thrown.
   */
  discover(hostKey: string, signal: AbortSignal): Promise<void>;
  /** The same, but leaves it at what is known where that holds: a profile, or a failure that is not old. */
  learn(hostKey: string, signal: AbortSignal): Promise<void>;
}
