import { Injectable } from '@nestjs/common';
import type { JobOf, JobProcessor } from '#queue';
import { PeopleByMail } from '../people/people-by-mail';

/** Asks servers of mail addresses for accounts: once each, because a failure is remembered too. */
@Injectable()
export class MailLookupsProcessor implements JobProcessor<'mail-lookups'> {
  readonly concurrency = 10;

  constructor(private readonly people: PeopleByMail) {}

  async process({ lookupId }: JobOf<'mail-lookups'>): Promise<void> {
    await this.people.find(lookupId);
  }
}
