import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { EdgeReply } from '#platform';
import type { EndOfPushes, PushChannel } from './push-hub';
import type { PushSignal } from './push-signal';

/** Browsers come back after so long, milliseconds. */
const RETRY_MS = 5000;

/** A page that is notified of changes by Server-Sent Events, named as in `notify_push`. */
export class PushStream extends EdgeReply implements PushChannel {
  private readonly events = new Readable({ read: () => undefined, highWaterMark: 16 * 1024 });

  /** Calls `gone` when the page is. */
  whenClosed(gone: () => unknown): void {
    this.events.once('close', gone);
  }

  write(reply: FastifyReply): void {
    this.events.push(`retry: ${RETRY_MS}\n\n`);
    void reply
      .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
      .type('text/event-stream; charset=utf-8')
      .send(this.events);
  }

  send(signal: PushSignal): void {
    this.emit(signal);
  }

  isFull(): boolean {
    return this.events.readableLength >= this.events.readableHighWaterMark;
  }

  /** A comment: proxies cut connections on which nothing is said. */
  beat(): boolean {
    if (this.isFull()) return false;
    this.events.push(':\n\n');
    return true;
  }

  end(why: EndOfPushes): void {
    this.emit(why);
    this.events.push(null);
  }

  private emit(event: string): void {
    this.events.push(`event: ${event}\ndata: {}\n\n`);
  }
}
