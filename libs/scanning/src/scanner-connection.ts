import { once } from 'node:events';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { connect, type Socket, type TcpNetConnectOpts, type IpcNetConnectOpts } from 'node:net';
import { ScannerFailure, ScannerHungUp } from './scanner';

export type ScannerEndpoint = Pick<TcpNetConnectOpts, 'host' | 'port'> | Pick<IpcNetConnectOpts, 'path'>;

const CONNECT_LIMIT_MS = 5_000;
/** Milliseconds before each write of a slow connection. A gigabyte takes 8,000 to 16,000 writes. */
const SLOW_MS = 1;
/** Maximum of unread bytes of an answer. */
const MAX_UNREAD_BYTES = 256 * 1024;

/** One connection to a scanner, for one scan. All its errors are ScannerFailure. */
export class ScannerConnection {
  private unread = Buffer.alloc(0);
  private failure: Error | undefined;
  private hasEnded = false;
  private isOverdue = false;
  private wake: () => void = () => undefined;
  private readonly limit: NodeJS.Timeout;

  private constructor(
    private readonly socket: Socket,
    private readonly isSlow: boolean,
    limitMs: number,
  ) {
    this.limit = setTimeout(() => {
      this.isOverdue = true;
      socket.destroy(new Error(`no answer within ${limitMs} ms`));
    }, limitMs);
    socket.on('data', (bytes) => this.take(bytes));
    socket.on('error', (error) => (this.failure = error));
    socket.on('end', () => this.end()).on('close', () => this.end());
  }

  /**
   * @param limitMs time limit of the whole scan
   * @param isSlow whether it waits before each write
   */
  static async open(endpoint: ScannerEndpoint, limitMs: number, isSlow = false): Promise<ScannerConnection> {
    const socket = connect({ ...endpoint, noDelay: true } as TcpNetConnectOpts);
    const limit = setTimeout(
      () => socket.destroy(new Error('no connection in time')),
      Math.min(CONNECT_LIMIT_MS, limitMs),
    );
    try {
      await once(socket, 'connect');
    } catch (error) {
      throw new ScannerFailure((error as Error).message, { cause: error });
    } finally {
      clearTimeout(limit);
    }
    return new ScannerConnection(socket, isSlow, limitMs);
  }

  /** Whether the scanner has begun to answer, or closed the connection. */
  get isAnswered(): boolean {
    return this.unread.length > 0 || this.hasEnded;
  }

  /** Sends bytes; resolves when there is room for more. After the scanner closed the connection, bytes are dropped. */
  async write(bytes: Buffer | string): Promise<void> {
    // A scanner that accepts no more bytes answers and closes the connection. A write would then fail and lose the unread
    // answer, so this is checked first. It can still happen between the check and the write, which are close together.
    await (this.isSlow ? pause(SLOW_MS) : turn());
    if (this.hasEnded || this.socket.write(bytes)) return;
    await new Promise<void>((resume) => {
      const go = (): void => {
        this.socket.off('drain', go).off('close', go);
        resume();
      };
      this.socket.on('drain', go).on('close', go);
    });
  }

  /** The bytes before `mark`. @throws ScannerFailure if more than `maxBytes` come before it */
  async readTo(mark: string, maxBytes: number): Promise<string> {
    for (;;) {
      const at = this.unread.indexOf(mark);
      if (at >= 0 && at <= maxBytes) return this.cut(at, mark.length).toString('latin1');
      if (at > maxBytes || this.unread.length > maxBytes) throw new ScannerFailure('the answer is too long');
      await this.more();
    }
  }

  /** At least one byte and at most `maxBytes`. */
  async readSome(maxBytes: number): Promise<Buffer> {
    while (this.unread.length === 0) await this.more();
    return this.cut(Math.min(maxBytes, this.unread.length), 0);
  }

  close(): void {
    clearTimeout(this.limit);
    this.socket.destroy();
  }

  private take(bytes: Buffer): void {
    this.unread = Buffer.concat([this.unread, bytes]);
    if (this.unread.length >= MAX_UNREAD_BYTES) this.socket.pause();
    this.wake();
  }

  private end(): void {
    this.hasEnded = true;
    this.wake();
  }

  private cut(length: number, dropped: number): Buffer {
    const taken = this.unread.subarray(0, length);
    this.unread = this.unread.subarray(length + dropped);
    if (this.unread.length < MAX_UNREAD_BYTES) this.socket.resume();
    return taken;
  }

  private async more(): Promise<void> {
    if (!this.hasEnded) return new Promise<void>((resolve) => (this.wake = resolve));
    const message = this.failure?.message ?? 'it hung up without an answer';
    throw new (this.isOverdue ? ScannerFailure : ScannerHungUp)(message, { cause: this.failure });
  }
}
