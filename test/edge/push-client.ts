import { eventually } from '#testing';

/** A client of `notify_push`, as Nextcloud's desktop client is one: it sends user id and password, and listens. */
export class PushClient {
  readonly heard: string[] = [];
  closedWith: number | undefined;

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener('message', ({ data }) => this.heard.push(String(data)));
    socket.addEventListener('close', ({ code }) => (this.closedWith = code));
    socket.addEventListener('error', () => (this.closedWith ??= 0));
  }

  /** @param url of the instance @param more messages that follow the password at once */
  static async open(url: string, uid: string, password: string, ...more: string[]): Promise<PushClient> {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/push/ws`);
    const client = new PushClient(socket);
    socket.addEventListener('open', () => {
      for (const message of [uid, password, ...more]) socket.send(message);
    });
    await eventually('an answer to the sign-in', () => client.heard.length > 0 || client.isClosed);
    return client;
  }

  get isClosed(): boolean {
    return this.closedWith !== undefined;
  }

  async hears(message: string): Promise<void> {
    await eventually(message, () => this.heard.some((each) => each.startsWith(message)));
  }

  async isCut(): Promise<number> {
    await eventually('the end of the connection', () => this.isClosed);
    return this.closedWith!;
  }

  close(): void {
    this.socket.close();
  }
}

/** The events that a page hears. */
export class PageEvents {
  text = '';
  isOver = false;

  private constructor(
    readonly status: number,
    private readonly stop: () => void,
  ) {}

  static async open(url: string, headers: Record<string, string>): Promise<PageEvents> {
    const stopping = new AbortController();
    const reply = await fetch(`${url}/web/events`, {
      headers: { accept: 'text/event-stream', ...headers },
      signal: stopping.signal,
    });
    const events = new PageEvents(reply.status, () => stopping.abort());
    void events.read(reply.body!).catch(() => (events.isOver = true));
    return events;
  }

  async hears(event: string): Promise<void> {
    await eventually(event, () => this.text.includes(`event: ${event}\n`));
  }

  close(): void {
    this.stop();
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const piece of body) this.text += decoder.decode(piece);
    this.isOver = true;
  }
}
