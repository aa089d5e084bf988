import { Injectable } from '@nestjs/common';
import { ShareTimelineRepository } from '#persistence';
import { timelineOf, type TimelineEntry } from '#sharing';

/** Facts that decide whether a user may read a timeline. */
interface Reader {
  readonly uid: string;
  readonly isAdmin: boolean;
}

/** The lives of shares. */
@Injectable()
export class Timelines {
  constructor(private readonly recorded: ShareTimelineRepository) {}

  /** @returns undefined for a share that never was, ended too long ago, or is none of the reader's */
  async read(reader: Reader, id: number): Promise<TimelineEntry[] | undefined> {
    const share = await this.recorded.subject(id);
    if (!share || !(reader.isAdmin || [share.owner, share.initiator].includes(reader.uid))) return undefined;
    const [events, messages] = await Promise.all([this.recorded.events(id), this.recorded.messages(id)]);
    return timelineOf(events, messages);
  }
}
