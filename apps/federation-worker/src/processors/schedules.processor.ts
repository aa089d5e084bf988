import { Injectable } from '@nestjs/common';
import { Schedules, type JobOf, type JobProcessor } from '#queue';

/** Runs scheduled work, one piece at a time. */
@Injectable()
export class SchedulesProcessor implements JobProcessor<'schedules'> {
  readonly concurrency = 1;

  constructor(private readonly schedules: Schedules) {}

  async process({ schedule }: JobOf<'schedules'>): Promise<void> {
    await this.schedules.run(schedule);
  }
}
