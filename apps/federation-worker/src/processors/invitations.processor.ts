import { Injectable } from '@nestjs/common';
import type { JobOf, JobProcessor } from '#queue';
import { AcceptanceReporter } from '../invitations/acceptance-reporter';

/** Tells partners about accepted invitations: once each, because the user sees the result. */
@Injectable()
export class InvitationsProcessor implements JobProcessor<'invitations'> {
  readonly concurrency = 5;

  constructor(private readonly reporter: AcceptanceReporter) {}

  async process({ acceptanceId }: JobOf<'invitations'>): Promise<void> {
    await this.reporter.report(acceptanceId);
  }
}
