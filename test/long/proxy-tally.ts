import type { IncomingMessage } from 'node:http';

/**
 * Why a proxy could not hand a request on: no process was ready, its connection was refused, or a connection that stood
 * was cut.
 */
export type ProxyFailure = 'nobody' | 'refused' | 'cut';

/** How many requests came to which end. */
export interface Ends {
  readonly answered: number;
  /** 503 that says when to come again. */
  readonly putOff: number;
  /** Any other answer of 500 or more: a bug. */
  readonly broken: number;
  readonly nobody: number;
  readonly refused: number;
  readonly cut: number;
}

/** Counts what becomes of the requests that a proxy gets. */
export class ProxyTally {
  private ends: Ends = NONE;
  /** Requests that were broken or put off, for the search of the cause. */
  readonly broken: string[] = [];
  readonly putOff: string[] = [];

  /** @param what says which request it was, for anyone who reads of a broken one */
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
