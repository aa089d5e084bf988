import { Injectable } from '@nestjs/common';
import type { JobOf, JobProcessor } from '#queue';
import { TellAcceptance } from '../invitations/tell-acceptance';

/** Tells partners of accepted invitations: once each, since whoever accepted sees what came of it. */
@Injectable()
export class InvitationsProcessor implements JobProcessor<'invitations'> {
  readonly concurrency = 5;

  constructor(private readonly acceptance: TellAcceptance) {}

  async process({ acceptanceId }: JobOf<'invitations'>): Promise<void> {
    await this.acceptance.tell(acceptanceId);
  }
}
