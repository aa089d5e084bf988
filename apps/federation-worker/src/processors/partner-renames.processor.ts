import { Injectable } from '@nestjs/common';
import type { JobOf, JobProcessor } from '#queue';
import { MovedPartners } from '../partners/moved-partners';

/** Renames partners, one at a time: each moves many rows in one transaction. */
@Injectable()
export class PartnerRenamesProcessor implements JobProcessor<'partner-renames'> {
  readonly concurrency = 1;

  constructor(private readonly partners: MovedPartners) {}

  async process({ renameId }: JobOf<'partner-renames'>): Promise<void> {
    await this.partners.rename(renameId);
  }
}
