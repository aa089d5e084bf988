import { Injectable } from '@nestjs/common';
import { ShareTimelineRepository } from '#persistence';
import { activityOf, SHARE_STEPS, timelineOf, type ActivityEntry, type TimelineEntry } from '#sharing';

/** Facts that decide whether a user may read a timeline. */
interface Reader {
  readonly uid: string;
  readonly isAdmin: boolean;
}

/** The lives of shares. */
@Injectable()
export class Timelines {
  constructor(private readonly recorded: ShareTimelineRepository) {}

  /**
   * Steps of the caller's shares, and of shares that others made of their files, the latest first. @param before id of the last known step
   */
  async activity(uid: string, before: number, limit: number): Promise<ActivityEntry[]> {
    return activityOf(await this.recorded.activity(uid, SHARE_STEPS, before, limit));
  }

  /** @returns undefined for a share that never existed, ended too long ago, or does not belong to the reader */
  async read(reader: Reader, id: number): Promise<TimelineEntry[] | undefined> {
    const share = await this.recorded.subject(id);
    if (!share || !(reader.isAdmin || [share.owner, share.initiator].includes(reader.uid))) return undefined;
    const [events, messages] = await Promise.all([this.recorded.events(id), this.recorded.messages(id)]);
    return timelineOf(events, messages);
  }
}
