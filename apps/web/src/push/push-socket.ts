import type { WebSocket } from 'ws';
import type { EndOfPushes, PushChannel } from './push-hub';
import type { ChangedNodes, PushSignal } from './push-signal';

/** Maximum of unread bytes; beyond that, nothing more is sent to the client. */
const MOST_UNREAD = 64 * 1024;
/** Maximum of messages between two beats; a client that sends more is cut. */
const MOST_MESSAGES = 60;
/** Time for a client to answer the end of its connection. */
const FAREWELL_MS = 1000;
/** Message with which a client asks for the ids of changed files. */
const WANTS_IDS = 'listen notify_file_id';

/** Codes of RFC 6455 and its registry. */
const CLOSE_CODES: Readonly<Record<EndOfPushes, number>> = {
  closing: 1001,
  'signed-out': 1008,
  unread: 1008,
};

/** A client of `notify_push` on its WebSocket. */
export class PushSocket implements PushChannel {
  private wantsIds = false;
  private isThere = true;
  private messages = 0;

  constructor(private readonly socket: WebSocket) {}

  /** Handles a message of the client. */
  hear(message: string): void {
    this.messages += 1;
    if (this.messages > MOST_MESSAGES) this.end('unread');
    else if (message === WANTS_IDS) this.wantsIds = true;
  }

  /** Notes that the client answered or sent a ping. */
  answered(): void {
    this.isThere = true;
  }

  send(signal: PushSignal, nodes: ChangedNodes): void {
    const names = this.wantsIds && signal === 'file' && nodes !== 'unknown' ? [...nodes] : undefined;
    this.socket.send(names ? `notify_file_id ${JSON.stringify(names)}` : `notify_${signal}`);
  }

  isFull(): boolean {
    return this.socket.bufferedAmount > MOST_UNREAD;
  }

  beat(): boolean {
    if (!this.isThere) return false;
    this.isThere = false;
    this.messages = 0;
    this.socket.ping();
    return true;
  }

  end(why: EndOfPushes): void {
    this.socket.close(CLOSE_CODES[why], why);
    setTimeout(() => this.socket.terminate(), FAREWELL_MS).unref();
  }
}
