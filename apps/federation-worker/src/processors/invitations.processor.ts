import { Injectable } from '@nestjs/common';
import type { JobOf, JobProcessor } from '#queue';
import { AcceptanceReporter } from '../invitations/acceptance-reporter';

/** Tells partners of accepted invitations: once each, since the user who accepted sees what came of it. */
@Injectable()
export class InvitationsProcessor implements JobProcessor<'invitations'> {
  readonly concurrency = 5;

  constructor(private readonly reporter: AcceptanceReporter) {}

  async process({ acceptanceId }: JobOf<'invitations'>): Promise<void> {
    await this.reporter.report(acceptanceId);
  }
}
