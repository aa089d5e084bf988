import { Inject, Injectable } from '@nestjs/common';
import { DirectoryServices } from '#federation/client';
import { DirectoryServiceRepository } from '#persistence';
import { LOGGER, type Logger } from '#platform';

const HOUR_MS = 3_600_000;

/** Asks directory services for their servers: each once an hour, and as soon as an operator adds it. */
@Injectable()
export class DirectoryRounds {
  private readonly logger: Logger;

  constructor(
    private readonly rows: DirectoryServiceRepository,
    private readonly services: DirectoryServices,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.logger = logger.child({ subsystem: 'trust' });
  }

  async round(): Promise<void> {
    for (const service of await this.rows.claim(HOUR_MS)) {
      const { url, publicKey } = service;
      const found = await this.services.ask(url, publicKey);
      if (found.kind === 'listing') {
        await this.rows.keep(service, found.listing);
        continue;
      }
      await this.rows.fail(service, found.reason);
      this.logger.warn({ url, reason: found.reason }, 'a directory service named no servers');
    }
  }
}
