import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BackgroundMoveRepository, type MoveOutcome } from '#persistence';
import { LOGGER, type Logger } from '#platform';
import { CachedPolicy } from '#settings';
import { headerOf } from '../dav/dav-call';
import { DavReply } from '../dav/dav-reply';
import { FailureAnswers } from '../dav/failure-answers';

/** Maximum of one user's background moves on one replica; a further move is answered when it is done. */
const MAX_RUNNING = 16;
/** Time for which an answer waits for the end: most moves need less, and then their clients ask only once. */
const ANSWERED_AFTER_MS = 2_000;
const SIGN_OF_LIFE_MS = 10_000;
/** Time without a sign of life after which the replica of a move counts as gone. */
const SILENT_SECONDS = 90;
const KEPT_HOURS = 24;
const REMOVED_AT_ONCE = 1_000;

const INTERRUPTED: MoveOutcome = {
  status: 'error',
  errorCode: 503,
  errorMessage: 'The server stopped before it was done: try again',
};

/** State of a move, in the words of deployed servers. */
export type MoveState = MoveOutcome | { readonly status: 'started' };

/** A MOVE that may continue after its answer. */
interface Move {
  /** Called before the answer; refuses a move that can never succeed. */
  readonly admit: () => Promise<void>;
  readonly move: () => Promise<DavReply>;
}

/** Answers moves before they are done, if their clients ask for that: joining a large file takes minutes. */
@Injectable()
export class BackgroundMoves implements BeforeApplicationShutdown {
  private readonly running = new Set<Promise<void>>();
  private readonly runningOf = new Map<string, number>();

  constructor(
    private readonly moves: BackgroundMoveRepository,
    private readonly policy: CachedPolicy,
    private readonly failures: FailureAnswers,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.running);
  }

  /** Answers a MOVE: at once if the client and the settings ask for that, otherwise when it is done. */
  async answer(request: FastifyRequest, uid: string | undefined, { admit, move }: Move): Promise<DavReply> {
    if (uid === undefined || headerOf(request, 'oc-lazyops') === undefined) return move();
    const busy = this.runningOf.get(uid) ?? 0;
    if (busy >= MAX_RUNNING || !(await this.policy.current()).backgroundMoves) return move();
    await admit();
    const id = randomUUID();
    await this.moves.begin(id, uid);
    const work = this.run(id, uid, move).finally(() => this.running.delete(work));
    this.running.add(work);
    await endOrTimeout(work);
    return new DavReply(202, {
      'oc-jobstatus-location': `/remote.php/dav/job-status/${encodeURIComponent(uid)}/${id}`,
    });
  }

  /** @returns undefined if the user has no such move */
  async stateOf(uid: string, id: string): Promise<MoveState | undefined> {
    const found = await this.moves.find(uid, id, SILENT_SECONDS);
    return found && (found.outcome ?? (found.isSilent ? INTERRUPTED : { status: 'started' }));
  }

  /** Deletes moves without a sign of life for a day. */
  async removeOld(signal: AbortSignal): Promise<void> {
    while (!signal.aborted)
      if ((await this.moves.removeOld(KEPT_HOURS, REMOVED_AT_ONCE)) < REMOVED_AT_ONCE) return;
  }

  private async run(id: string, uid: string, move: () => Promise<DavReply>): Promise<void> {
    this.runningOf.set(uid, (this.runningOf.get(uid) ?? 0) + 1);
    const signs = setInterval(() => void this.moves.touch(id).catch(() => undefined), SIGN_OF_LIFE_MS);
    try {
      await this.moves.end(id, await this.outcomeOf(move));
    } catch (error) {
      this.logger.error({ err: error, subsystem: 'moves' }, 'the end of a move could not be noted');
    } finally {
      clearInterval(signs);
      this.leave(uid);
    }
  }

  private async outcomeOf(move: () => Promise<DavReply>): Promise<MoveOutcome> {
    try {
      const { headers } = await move();
      return { status: 'finished', fileId: textOf(headers['oc-fileid']), ETag: textOf(headers.etag) };
    } catch (error) {
      const foreseen = this.failures.find(error);
      if (!foreseen || foreseen.isOfServer)
        this.logger.error({ err: error, subsystem: 'moves' }, 'a move failed');
      return {
        status: 'error',
        errorCode: foreseen?.answer.status ?? 500,
        errorMessage: foreseen?.message ?? 'The request could not be answered',
      };
    }
  }

  private leave(uid: string): void {
    const left = this.runningOf.get(uid)! - 1;
    if (left === 0) this.runningOf.delete(uid);
    else this.runningOf.set(uid, left);
  }
}

async function endOrTimeout(work: Promise<void>): Promise<void> {
  const patience = new AbortController();
  const timeout = setTimeout(ANSWERED_AFTER_MS, undefined, { signal: patience.signal }).catch(
    () => undefined,
  );
  await Promise.race([work, timeout]);
  patience.abort();
}

const textOf = (header: string | number | undefined): string | undefined => header?.toString();
