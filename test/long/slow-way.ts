import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A slow network way to a server that may stop and restart: all bytes take time in both directions, so that there is
 * always a transfer. While the server is stopped, connections end.
 */
export class SlowWay {
  /** Port of the server; undefined before its first start. */
  target: number | undefined;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly delayMs: number) {
    this.server = createServer((socket) => this.lead(socket));
  }

  static async open(delayMs: number): Promise<SlowWay> {
    const way = new SlowWay(delayMs);
    await new Promise<void>((done) => void way.server.listen(0, '127.0.0.1', done));
    return way;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((done) => void this.server.close(() => done()));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private lead(from: Socket): void {
    if (this.target === undefined) return void from.destroy();
    const to = connect(this.target, '127.0.0.1');
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      this.sockets.add(one);
      one.on('data', (chunk) => this.later(() => other.writable && other.write(chunk)));
      one.on('error', () => undefined);
      one.on('close', () => {
        this.sockets.delete(one);
        this.later(() => other.destroy());
      });
    }
  }

  /** Data arrives in the order of sending: timers with the same delay keep their order. */
  private later(work: () => void): void {
    setTimeout(work, this.delayMs);
  }
}
