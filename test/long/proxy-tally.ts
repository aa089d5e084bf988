import type { IncomingMessage } from 'node:http';

/**
 * Why a proxy could not forward a request: no process was ready, the connection was refused, or an open connection was
 * cut.
 */
export type ProxyFailure = 'nobody' | 'refused' | 'cut';

/** Number of requests by their end. */
export interface Ends {
  readonly answered: number;
  /** 503 with a time for the next attempt. */
  readonly putOff: number;
  /** Any other answer of 500 or more: a bug. */
  readonly broken: number;
  readonly nobody: number;
  readonly refused: number;
  readonly cut: number;
}

/** Counts the ends of the requests that a proxy receives. */
export class ProxyTally {
  private ends: Ends = NONE;
  /** Failed and postponed requests, for the search for the cause. */
  readonly broken: string[] = [];
  readonly putOff: string[] = [];

  /** @param what names the request in reports */
  answered(what: string, { statusCode, headers }: IncomingMessage): void {
    if (statusCode! < 500) return this.count('answered');
    if (statusCode === 503 && headers['retry-after'] !== undefined) {
      this.putOff.push(what);
      return this.count('putOff');
    }
    this.count('broken');
    this.broken.push(`${statusCode} ${what}`);
  }

  failed(failure: ProxyFailure): void {
    this.count(failure);
  }

  /** Counts since the last call. */
  take(): Ends {
    const taken = this.ends;
    this.ends = NONE;
    return taken;
  }

  private count(end: keyof Ends): void {
    this.ends = { ...this.ends, [end]: this.ends[end] + 1 };
  }
}

const NONE: Ends = { answered: 0, putOff: 0, broken: 0, nobody: 0, refused: 0, cut: 0 };
