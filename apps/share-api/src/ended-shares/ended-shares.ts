import { Injectable } from '@nestjs/common';
import { EndedShareRepository, type EndedShare } from '#persistence';

/** Facts that decide whether a user may read an ended share. */
interface Reader {
  readonly uid: string;
  readonly isAdmin: boolean;
}

/** Shares that their recipients on other instances ended. */
@Injectable()
export class EndedShares {
  constructor(private readonly shares: EndedShareRepository) {}

  /** @returns undefined for a share that did not end in this way, ended too long ago, or does not belong to the reader */
  async read(reader: Reader, id: number): Promise<EndedShare | undefined> {
    const share = await this.shares.find(id);
    const isTheirs = share?.initiator === reader.uid || share?.owner === reader.uid;
    return isTheirs || reader.isAdmin ? share : undefined;
  }
}
