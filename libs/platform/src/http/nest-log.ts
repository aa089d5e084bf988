import type { LoggerService } from '@nestjs/common';
import type { Logger } from '../logging';

/** Sends Nest's own lines to the process's logger; its start-up messages have the level debug. */
export class NestLog implements LoggerService {
  private readonly logger: Logger;

  constructor(logger: Logger) {
    this.logger = logger.child({ subsystem: 'nest' });
  }

  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, stack?: string, context?: string): void {
    this.logger.error({ context, stack }, String(message));
  }
}
