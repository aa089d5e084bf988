import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

const TEXT = 0x81;
const MASKED = 0x80;

/** A WebSocket client that needs almost no memory: it writes short messages, and counts received ones. */
export class RawPushClient {
  private received = '';
  isSignedIn = false;
  /** Times of received file events, in milliseconds. */
  readonly receivedAt: number[] = [];

  private constructor(private readonly socket: Socket) {
    socket.on('data', (data) => this.hear(data.toString('latin1')));
    socket.on('error', () => undefined);
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
