import type { WebSocket } from 'ws';
import type { EndOfPushes, PushChannel } from './push-hub';
import type { ChangedNodes, PushSignal } from './push-signal';

/** Bytes that wait for a client until it is sent no more. */
const MOST_UNREAD = 64 * 1024;
/** Messages of a client between two beats; one that sends more is cut. */
const MOST_MESSAGES = 60;
/** Time that a client has to answer the end of its connection. */
const FAREWELL_MS = 1000;
/** Asks for the ids of changed files. */
const WANTS_IDS = 'listen notify_file_id';

/** Codes of RFC 6455, and of the registry that it made. */
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

  /** Takes a message of the client. */
  hear(message: string): void {
    this.messages += 1;
    if (this.messages > MOST_MESSAGES) this.end('unread');
    else if (message === WANTS_IDS) this.wantsIds = true;
  }

  /** The client answered, or asked whether we are there. */
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
