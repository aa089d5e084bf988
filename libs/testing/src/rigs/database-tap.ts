import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isBackgroundStatement } from './background-statements';
import { joinEnds } from './joined-sockets';

/** Names of connections that run statements on their own, without any call. */
const ON_THEIR_OWN = ['change feed', 'drawbridge queue'];
/** Some transactions set how they commit in the same message. */
const TRANSACTION_START = /^BEGIN\b/;
const TRANSACTION_END = /^(?:COMMIT|ROLLBACK)$/;

const LEAST_OF_RUNS = 3;

/** Traffic on the connections of a database during a piece of work. */
export interface DatabaseTraffic {
  /** Number of runs per statement, by its prepared name; by its text if it is not prepared. */
  readonly statements: ReadonlyMap<string, number>;
  /** Rows in Postgres's answers. */
  readonly rows: number;
}

/** A proxy between a process and Postgres that counts statements and answers. */
export class DatabaseTap {
  private statements = new Map<string, number>();
  private rows = 0;
  private lost: string | undefined;

  private constructor(
    /** The same database, through the tap. */
    readonly url: string,
    private readonly server: Server,
    private readonly sockets: Set<Socket>,
    private readonly directory: string,
  ) {}

  /** @param databaseUrl `postgres://user@/name?host=/directory` or `postgres://user@host:port/name` */
  static async open(databaseUrl: string): Promise<DatabaseTap> {
    const real = new URL(databaseUrl);
    const directory = mkdtempSync(join(tmpdir(), 'drawbridge-tap-'));
    const port = real.port || '5432';
    const tapped = new URL(databaseUrl);
    tapped.searchParams.set('host', directory);
    const sockets = new Set<Socket>();
    const server = createServer();
    const tap = new DatabaseTap(tapped.href, server, sockets, directory);
    server.on('connection', (client) => tap.join(client, databaseSocket(real, port)));
    await new Promise<void>((ready) => server.listen(join(directory, `.s.PGSQL.${port}`), ready));
    return tap;
  }

  private join(client: Socket, database: Socket): void {
    const asked = new MessageReader(true);
    const answered = new MessageReader(false);
    const connection = new Connection((name) => this.note(name));
    client.on('data', (chunk: Buffer) => {
      for (const message of asked.read(chunk)) connection.asks(message);
      database.write(chunk);
    });
    database.on('data', (chunk: Buffer) => {
      for (const { type, body } of answered.read(chunk)) {
        if (connection.counts && type === 'D') this.rows++;
        if (type === 'C' && textAt(body, 0) === this.lost) return void client.destroy();
      }
      client.write(chunk);
    });
    joinEnds(client, database, this.sockets);
  }

  private note(name: string): void {
    this.statements.set(name, (this.statements.get(name) ?? 0) + 1);
  }

  /** Cuts a connection when Postgres reports the end of this command, such as COMMIT: it is done, but the client gets no answer. */
  loseAnswersTo(command: string | undefined): void {
    this.lost = command;
  }

  /** Traffic while `work` ran. */
  async during(work: () => Promise<unknown>): Promise<DatabaseTraffic> {
    this.statements = new Map();
    this.rows = 0;
    await work();
    const traffic = { statements: this.statements, rows: this.rows };
    this.statements = new Map();
    return traffic;
  }

  /**
   * The cost that several runs have in common: each statement as often as in the run with the fewest of it. Scheduled statements of the process
   * come into one run or another, and on a busy machine into most of them.
   */
  async leastDuring(work: () => Promise<unknown>): Promise<DatabaseTraffic> {
    const costs: DatabaseTraffic[] = [];
    for (let run = 0; run < LEAST_OF_RUNS; run++) costs.push(await this.during(work));
    const common = [...costs[0]!.statements.keys()].map(
      (name) => [name, Math.min(...costs.map(({ statements }) => statements.get(name) ?? 0))] as const,
    );
    return {
      statements: new Map(common.filter(([, count]) => count > 0)),
      rows: Math.min(...costs.map(({ rows }) => rows)),
    };
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((closed) => this.server.close(closed));
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Statements of one connection, without background statements. */
class Connection {
  private readonly portals = new Map<string, string>();
  private isIgnored = false;
  private isInBackground = false;
  /** Set between the start of a transaction and its first statement, which decides whether it counts. */
  private begun: string | undefined;
  private isInTransaction = false;

  constructor(private readonly note: (name: string) => void) {}

  get counts(): boolean {
    return !this.isIgnored && !this.isInBackground;
  }

  asks({ type, body }: Message): void {
    if (type === '') this.isIgnored = ON_THEIR_OWN.some((name) => body.includes(name));
    else if (type === 'B') this.portals.set(textAt(body, 0), textAt(body, textAt(body, 0).length + 1));
    else if (type === 'E') this.runs(this.portals.get(textAt(body, 0)) ?? '');
    else if (type === 'Q') this.runs(textAt(body, 0));
  }

  private runs(name: string): void {
    if (this.isIgnored) return;
    if (TRANSACTION_START.test(name)) {
      this.begun = name;
      this.isInTransaction = true;
      return;
    }
    if (this.begun !== undefined || !this.isInTransaction) this.isInBackground = isBackgroundStatement(name);
    if (this.begun !== undefined && !this.isInBackground) this.note(this.begun);
    this.begun = undefined;
    if (this.counts) this.note(name);
    if (!TRANSACTION_END.test(name)) return;
    this.isInBackground = false;
    this.isInTransaction = false;
  }
}

function databaseSocket(url: URL, port: string): Socket {
  const directory = url.searchParams.get('host');
  return directory ? connect(join(directory, `.s.PGSQL.${port}`)) : connect(Number(port), url.hostname);
}

interface Message {
  readonly type: string;
  readonly body: Buffer;
}

/** Splits one direction of a connection into messages; a client's first message has no type. */
class MessageReader {
  private rest: Buffer = Buffer.alloc(0);

  constructor(private startsUntyped: boolean) {}

  read(chunk: Buffer): Message[] {
    const data = Buffer.concat([this.rest, chunk]);
    const messages: Message[] = [];
    let at = 0;
    for (;;) {
      const typed = this.startsUntyped ? 0 : 1;
      if (data.length < at + typed + 4) break;
      const end = at + typed + data.readInt32BE(at + typed);
      if (data.length < end) break;
      const type = typed === 0 ? '' : String.fromCharCode(data[at]!);
      messages.push({ type, body: data.subarray(at + typed + 4, end) });
      this.startsUntyped = false;
      at = end;
    }
    this.rest = data.subarray(at);
    return messages;
  }
}

function textAt(body: Buffer, start: number): string {
  return body.toString('utf8', start, body.indexOf(0, start));
}
