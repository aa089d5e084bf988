import { Injectable } from '@nestjs/common';
import type { JobOf, JobProcessor } from '#queue';
import { SavedLinks } from '../links/saved-links';

/** Asks other servers for links that our users save: once each, because the user sees the result. */
@Injectable()
export class ForeignLinksProcessor implements JobProcessor<'foreign-links'> {
  readonly concurrency = 10;

  constructor(private readonly links: SavedLinks) {}

  async process({ linkId }: JobOf<'foreign-links'>): Promise<void> {
    await this.links.save(linkId);
  }
}
