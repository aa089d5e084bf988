import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

const TEXT = 0x81;
const MASKED = 0x80;
/** First byte of a ping. Other frames contain only ASCII, and are shorter than 126 bytes. */
const PING = '\x89';
const PONG = Buffer.from([0x8a, MASKED, 0, 0, 0, 0]);

/**
 * A WebSocket of a client with next to no memory of its own: it writes short messages, answers pings, and counts what it hears. A client
 * that leaves two pings unanswered is disconnected.
 */
export class RawPushClient {
  private received = '';
  isSignedIn = false;
  isClosed = false;
  /** Times at which it heard of files, in milliseconds. */
  readonly receivedAt: number[] = [];

  private constructor(private readonly socket: Socket) {
    socket.on('data', (data) => this.hear(data.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isClosed = true));
  }

  static open(port: number, uid: string, password: string): RawPushClient {
    const key = randomBytes(16).toString('base64');
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        `GET /push/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
      );
      socket.write(Buffer.concat([frame(uid), frame(password)]));
    });
    return new RawPushClient(socket);
  }

  close(): void {
    this.socket.destroy();
  }

  private hear(text: string): void {
    if (text.includes(PING)) this.socket.write(PONG);
    this.received = (this.received + text).slice(-400);
    if (!this.isSignedIn) this.isSignedIn = this.received.includes('authenticated');
    if (text.includes('notify_file')) this.receivedAt.push(Date.now());
  }
}

/** A short message of a client; its mask is zero, so that the text stays readable. */
function frame(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([TEXT, MASKED | bytes.length, 0, 0, 0, 0]), bytes]);
}
