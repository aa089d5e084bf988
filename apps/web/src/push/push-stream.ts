import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { EdgeReply } from '#platform';
import type { EndOfPushes, PushChannel } from './push-hub';
import type { PushSignal } from './push-signal';

/** Milliseconds after which browsers connect again. */
const RETRY_MS = 5000;

/** A page that gets messages about changes by Server-Sent Events, with the names of `notify_push`. */
export class PushStream extends EdgeReply implements PushChannel {
  private readonly events = new Readable({ read: () => undefined, highWaterMark: 16 * 1024 });

  /** Calls `gone` when the page has disconnected. */
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

  /** Sends a comment, because proxies cut silent connections. */
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
