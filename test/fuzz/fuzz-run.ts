import { Database } from '#persistence';
import { createLogger } from '#platform';
import { startGateway, type TestGateway } from '#testing';
import { routesOf, type Route } from '../edge/route-table';
import { heldRequests, recordedRequests, requestFor, type Held } from './corpus';
import { Dice } from './dice';
import { isOffer, type FuzzRequest } from './fuzz-request';
import { bytesInUse, countRows, growth, isUnexpected, unexplainedRows } from './fuzz-watch';
import { mutateRequest } from './mutate-request';
import { rawMessage } from './raw-messages';
import { holdSomething } from './stage';
import { SignedInCast } from './signed-in-cast';
import { Wire, type FuzzReply } from './wire';

const AT_ONCE = 12;
const KEPT_FINDINGS = 50;
/** Number of requests after which accounts get back their lost passwords and groups. */
const RESTORED_EVERY = 240;
const UNLIMITED = {
  CALLS_PER_MINUTE: '100000000',
  FAILED_CALLS_PER_MINUTE: '100000000',
  PARTNER_CALLS_PER_MINUTE: '100000000',
};
/** A text that is no secret and in every log: a log without it was not captured. */
const MARK = 'fuzzing starts';

export interface FuzzReport {
  readonly requests: number;
  readonly endpoints: number;
  readonly seed: number;
  readonly findings: readonly string[];
  /** Number of replies with each status. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** Senders of the requests. */
export type FuzzCallers = 'without an account' | 'signed in';

/** Sends mutated requests to every route of a gateway in this process. */
export async function fuzz(requests: number, seed: number, callers: FuzzCallers): Promise<FuzzReport> {
  const lines: string[] = [];
  const logger = createLogger('debug', { write: (line) => void lines.push(line) });
  const gateway = await startGateway({ env: UNLIMITED, logger });
  try {
    logger.info(MARK);
    const held = await holdSomething(gateway);
    const cast = callers === 'signed in' ? await SignedInCast.of(gateway, held) : undefined;
    return await new FuzzRun(gateway, held, lines, cast).run(requests, seed);
  } finally {
    await gateway.stop();
  }
}

class FuzzRun {
  private readonly database: Database;
  private readonly routes: readonly Route[];
  private readonly known: readonly FuzzRequest[];
  private readonly wire: Wire;
  private readonly findings: string[] = [];
  private readonly statuses: Record<string, number> = {};
  private offersTaken = 0;

  constructor(
    gateway: TestGateway,
    private readonly held: Held,
    private readonly lines: string[],
    private readonly cast: SignedInCast | undefined,
  ) {
    const { nest } = gateway.instance.app;
    this.database = nest.get(Database, { strict: false });
    this.routes = routesOf(nest);
    this.known = [...recordedRequests(held), ...heldRequests(held)];
    this.wire = new Wire(gateway.url);
  }

  async run(requests: number, seed: number): Promise<FuzzReport> {
    const dice = new Dice(seed);
    const before = await countRows(this.database);
    const quarters: number[] = [];
    for (let sent = 0, quarter = 1; quarter <= 4; quarter++) {
      const until = Math.ceil((requests * quarter) / 4);
      while (sent < until) {
        if (sent % RESTORED_EVERY < AT_ONCE) await this.cast?.restore();
        sent += await this.sendSome(Math.min(AT_ONCE, until - sent), sent, dice);
      }
      this.readLog();
      quarters.push(bytesInUse());
    }
    this.wire.close();
    this.findings.push(...growth(quarters));
    const after = await countRows(this.database);
    // Callers with an account may create and remove their own things.
    if (!this.cast) this.findings.push(...unexplainedRows(before, after, this.offersTaken));
    const { findings, statuses } = this;
    return { requests, endpoints: this.routes.length, seed, findings, statuses };
  }

  private async sendSome(count: number, sent: number, dice: Dice): Promise<number> {
    // All are created before any is sent, so that a seed always gives the same ones.
    const sendings = Array.from({ length: count }, (_, at) => this.next(sent + at, dice));
    await Promise.all(sendings.map((send) => send()));
    return count;
  }

  private next(number: number, dice: Dice): () => Promise<void> {
    const route = this.routes[number % this.routes.length]!;
    if (dice.oneIn(25)) {
      const message = rawMessage(requestFor(route, this.held, dice).target, dice);
      return async () => this.note(await this.wire.sendRaw(message), message.slice(0, 200));
    }
    const original = this.original(route, dice);
    // Unchanged requests change data that other requests then use.
    const request = this.cast && dice.oneIn(3) ? original : mutateRequest(original, dice);
    return async () => {
      const reply = await this.wire.send(request);
      if (isOffer(request) && (reply.status === 201 || reply.status === 200)) this.offersTaken++;
      const what = JSON.stringify(request).slice(0, 2000);
      if (reply.status === 'cut') this.find(`no answer to ${what}`);
      this.note(reply, what);
    };
  }

  private original(route: Route, dice: Dice): FuzzRequest {
    if (this.cast) return this.cast.requestFor(route, dice);
    return dice.oneIn(2) ? dice.of(this.known) : requestFor(route, this.held, dice);
  }

  private note(reply: FuzzReply, what: string): void {
    this.statuses[reply.status] = (this.statuses[reply.status] ?? 0) + 1;
    if (isUnexpected(reply)) this.find(`${reply.status} for ${what}: ${reply.body.slice(0, 300)}`);
  }

  private find(finding: string): void {
    if (this.findings.length < KEPT_FINDINGS) this.findings.push(finding);
  }

  /** Finds secrets in log lines, and unexpected errors. */
  private readLog(): void {
    const text = this.lines.join('');
    if (this.lines.length > 0 && !this.sawMark && !text.includes(MARK)) this.find('nothing was logged');
    this.sawMark = true;
    for (const [name, secret] of Object.entries(this.held))
      if (text.includes(secret as string)) this.find(`the log shows ${name}`);
    for (const line of this.lines)
      if (/"level":[56]0/.test(line)) this.find(`logged: ${line.slice(0, 1500)}`);
    this.lines.length = 0;
  }

  private sawMark = false;
}
