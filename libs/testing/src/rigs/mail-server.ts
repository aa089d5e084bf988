import { createServer, type Server, type Socket } from 'node:net';

/** A mail as it was received. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: string;
  /** Headers and body, lines ended by CR LF. */
  readonly content: string;
}

/** Answer of the server to a recipient, such as `550 5.1.1 no such mailbox`. */
export type RecipientVerdict = (address: string) => string;

const ACCEPT: RecipientVerdict = () => '250 2.1.5 ok';

/** A mail server on the loopback address that stores what it receives: only the part of SMTP that a client needs for sending. */
export class MailServer {
  readonly mails: ReceivedMail[] = [];
  verdict: RecipientVerdict = ACCEPT;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(): Promise<MailServer> {
    const server = createServer();
    await new Promise<void>((ready, failed) => {
      server.once('error', failed);
      server.listen(0, '127.0.0.1', ready);
    });
    const mailServer = new MailServer(server, (server.address() as { port: number }).port);
    server.on('connection', (socket) => mailServer.converse(socket));
    return mailServer;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((closed) => this.server.close(closed));
  }

  private converse(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
    const conversation = new Conversation(this, (line) => socket.write(`${line}\r\n`));
    let unread = '';
    socket.on('data', (chunk) => {
      const lines = (unread + chunk.toString('utf8')).split('\r\n');
      unread = lines.pop() ?? '';
      for (const line of lines) conversation.hear(line);
    });
    socket.write('220 specs ESMTP\r\n');
  }
}

class Conversation {
  private from = '';
  private to = '';
  private content: string[] | undefined;

  constructor(
    private readonly server: MailServer,
    private readonly say: (line: string) => void,
  ) {}

  hear(line: string): void {
    if (this.content) return this.readContentLine(line, this.content);
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO' || verb === 'HELO') return this.say('250 specs');
    if (verb === 'MAIL') this.from = addressIn(line);
    if (verb === 'RCPT') {
      this.to = addressIn(line);
      return this.say(this.server.verdict(this.to));
    }
    if (verb === 'DATA') {
      this.content = [];
      return this.say('354 go on');
    }
    this.say(verb === 'QUIT' ? '221 bye' : '250 ok');
  }

  private readContentLine(line: string, content: string[]): void {
    if (line !== '.') {
      content.push(line.startsWith('..') ? line.slice(1) : line);
      return;
    }
    this.server.mails.push({ from: this.from, to: this.to, content: content.join('\r\n') });
    this.content = undefined;
    this.say('250 2.0.0 taken');
  }
}

const addressIn = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? '';
