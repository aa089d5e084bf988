import { Injectable } from '@nestjs/common';
import { CloudIdInvalid, parseCloudId, peerKeyOf } from '#federation/protocol';
import { OcsFailure } from '#ocs/http';
import type { OcsValue } from '#ocs/protocol';
import { OfferBlockRepository, OfferReportRepository, type OfferBlockRow } from '#persistence';

const MAX_BLOCKS = 1000;
const MAX_OPEN_REPORTS = 100;
const MAX_REASON = 1000;

/** Unwanted offers of other servers: users block senders and servers, and report offers to the operators. */
@Injectable()
export class UnwantedOffers {
  constructor(
    private readonly blocks: OfferBlockRepository,
    private readonly reports: OfferReportRepository,
  ) {}

  async list(uid: string): Promise<OcsValue[]> {
    return (await this.blocks.list(uid)).map(blockRecord);
  }

  /** @param who a federated cloud id, or the part behind its `@` for everybody there @throws OcsFailure */
  async block(uid: string, who: string): Promise<OcsValue> {
    const isPerson = who.includes('@');
    const named = cloudIdOf(isPerson ? who : `everybody@${who}`);
    const [hostKey, person] = [peerKeyOf(named), isPerson ? named.canonical : ''];
    const id = await this.blocks.add(uid, hostKey, person, MAX_BLOCKS);
    if (id === undefined) throw new OcsFailure(403, `No more than ${MAX_BLOCKS} can be blocked`);
    return { id, who: person || hostKey };
  }

  /** @throws OcsFailure */
  async unblock(uid: string, id: number): Promise<void> {
    if (!(await this.blocks.remove(uid, id))) throw new OcsFailure(404, 'Nothing is blocked under this id');
  }

  /** @throws OcsFailure */
  async report(uid: string, receivedShareId: number, reason: string): Promise<void> {
    if ([...reason].length > MAX_REASON)
      throw new OcsFailure(400, `reason cannot be more than ${MAX_REASON} characters`);
    const id = await this.reports.add(uid, receivedShareId, reason, MAX_OPEN_REPORTS);
    if (id === undefined) throw new OcsFailure(404, 'There is no such offer, or too many are reported');
  }
}

const blockRecord = ({ id, hostKey, person, createdAt }: OfferBlockRow): OcsValue => ({
  id,
  who: person || hostKey,
  since: Math.floor(createdAt.getTime() / 1000),
});

/** @throws OcsFailure */
function cloudIdOf(text: string): ReturnType<typeof parseCloudId> {
  try {
    return parseCloudId(text);
  } catch (error) {
    if (!(error instanceof CloudIdInvalid)) throw error;
    throw new OcsFailure(
      400,
      'This is neither an address such as maria@cloud.example.org nor a server such as cloud.example.org',
    );
  }
}
