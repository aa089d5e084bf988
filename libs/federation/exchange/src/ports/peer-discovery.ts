/** Discovers partners. */
export interface PeerDiscovery {
  /**
   * Asks the partner and stores the result, or the failure. All errors of the partner are stored as a
   * result; only our own failures are thrown.
   */
  discover(hostKey: string, signal: AbortSignal): Promise<void>;
  /** The same, but does nothing while the stored profile or a recent failure is still valid. */
  learn(hostKey: string, signal: AbortSignal): Promise<void>;
}
