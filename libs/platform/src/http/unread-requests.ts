import type { Logger } from '../logging';

/** Limits the log lines about unread requests, so that they cannot fill a disk. */
const LINES_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
/** The parser's code for a connection that its client closes before the request is complete. */
const LEFT = 'HPE_INVALID_EOF_STATE';

/** Logs requests that were refused before they were fully read: their kind, never their content. */
export class UnreadRequests {
  private readonly logger: Logger;
  private minute = 0;
  private lines = 0;

  constructor(
    logger: Logger,
    private readonly now: () => number = Date.now,
  ) {
    this.logger = logger.child({ subsystem: 'http' });
  }

  /** @param reason code of the parser, or the part that was too large @param address of the client, if it is known */
  note(reason: string, address: string | undefined): void {
    const minute = Math.floor(this.now() / MINUTE_MS);
    if (minute !== this.minute) [this.minute, this.lines] = [minute, 0];
    this.lines += 1;
    if (this.lines > LINES_PER_MINUTE) return;
    const andMore = this.lines === LINES_PER_MINUTE ? ', and those that follow within this minute' : '';
    if (reason === LEFT) this.logger.info({ address }, `a client left in the middle of a request${andMore}`);
    else this.logger.warn({ reason, address }, `a request was refused unread${andMore}`);
  }
}
