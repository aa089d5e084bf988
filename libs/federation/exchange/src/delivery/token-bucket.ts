/** Rate of requests to a partner. */
export interface Rate {
  readonly perSecond: number;
  /** Number of requests at once after a pause; at least one. */
  readonly burst: number;
}

/** Content of the bucket at a time (milliseconds since the epoch). */
export interface TokenBucket {
  readonly tokens: number;
  readonly atMs: number;
}

export function fullBucket(rate: Rate, nowMs: number): TokenBucket {
  return { tokens: rate.burst, atMs: nowMs };
}

/** Takes up to `wanted` whole tokens. A clock that goes back changes nothing. */
export function takeTokens(
  bucket: TokenBucket,
  rate: Rate,
  wanted: number,
  nowMs: number,
): { taken: number; bucket: TokenBucket } {
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  const tokens = Math.min(rate.burst, bucket.tokens + (elapsedMs / 1000) * rate.perSecond);
  const taken = Math.max(0, Math.min(Math.floor(tokens), wanted));
  return { taken, bucket: { tokens: tokens - taken, atMs: Math.max(nowMs, bucket.atMs) } };
}

/** Time at which the next whole token is available, in milliseconds since the epoch. */
export function nextTokenAt(bucket: TokenBucket, rate: Rate): number {
  const missing = Math.max(0, 1 - bucket.tokens);
  return bucket.atMs + Math.ceil((missing / rate.perSecond) * 1000);
}
