import { Injectable } from '@nestjs/common';
import { BudgetSpent } from '#identity';
import { Unavailable } from '#platform';
import { CachedPolicy, InMaintenance } from '#settings';
import { differencesOf } from '#sharing';
import { BlobStoreFull, DavFailure, TreeFailure, type DavFailureCode } from '#storage';
import { AccessSuspended } from '../partners/access-suspended';
import {
  DAV_ANSWERS,
  NO_ROOM,
  RETRY_AFTER_FAILURE_SECONDS,
  TREE_ANSWERS,
  UNAVAILABLE,
} from './dav-failure-table';
import type { DavAnswer } from './dav-failure-table';

/** A failure in the form for its client. */
export interface FailureAnswer {
  readonly answer: DavAnswer;
  readonly message: string;
  readonly retryAfterSeconds?: number | undefined;
  /** Whether operators have to mend something, so that it belongs in the log. */
  readonly isOfServer?: true;
}

/** Maps expected failures of requests for files to their answers. */
@Injectable()
export class FailureAnswers {
  constructor(private readonly policy: CachedPolicy) {}

  /** @returns undefined for an unexpected failure */
  find(error: unknown): FailureAnswer | undefined {
    if (error instanceof InMaintenance)
      return unavailable('System in maintenance mode.', error.retryAfterSeconds);
    if (error instanceof AccessSuspended || error instanceof BudgetSpent || error instanceof Unavailable)
      return unavailable('Not available at the moment', error.retryAfterSeconds);
    if (error instanceof TreeFailure) {
      const mayWorkLater = TREE_ANSWERS[error.code].status === 503 ? RETRY_AFTER_FAILURE_SECONDS : undefined;
      const retryAfterSeconds = error.retryAfterSeconds ?? mayWorkLater;
      return { answer: TREE_ANSWERS[error.code], message: error.message, retryAfterSeconds };
    }
    if (error instanceof BlobStoreFull)
      return { answer: NO_ROOM, message: 'The server has no room left', isOfServer: true };
    if (error instanceof DavFailure) return { answer: this.answerTo(error.code), message: error.message };
    return undefined;
  }

  private answerTo(code: DavFailureCode): DavAnswer {
    const { infiniteDepthIsPrecondition } = differencesOf(this.policy.compatibility);
    const isFailedPrecondition = code === 'finite-depth' && infiniteDepthIsPrecondition;
    return DAV_ANSWERS[isFailedPrecondition ? 'precondition-failed' : code];
  }
}

const unavailable = (message: string, retryAfterSeconds: number): FailureAnswer => ({
  answer: UNAVAILABLE,
  message,
  retryAfterSeconds,
});
