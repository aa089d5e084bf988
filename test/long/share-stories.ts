import { setTimeout as pause } from 'node:timers/promises';
import type { EdgeEnvelope } from '../edge/edge-client';
import type { Organisation } from './organisation';
import type { Random } from './seeded-random';

/** Fates of a share, by the side that decides them. */
export const FATES = [
  'created',
  'accepted',
  'declined',
  'changed',
  'unshared',
  'accepted, then changed',
  'accepted, then unshared',
] as const;
export type Fate = (typeof FATES)[number];

const SHARES = '/apps/files_sharing/api/v1/shares';
const PENDING = '/apps/files_sharing/api/v1/remote_shares/pending';
const UNDECIDED = `SELECT provider_id AS id, recipient_uid AS uid FROM received_share WHERE state = 'pending'`;
const OFFERED = 19;
const AT_ONCE = 6;
const BREATH_MS = 200;

export interface Story {
  readonly fate: Fate;
  readonly id: string;
  readonly token: string;
  /** Final permissions of the share. */
  readonly permissions: number;
}

/** The parts of an organisation that shares need. */
type Side = Pick<Organisation, 'host' | 'client' | 'outbox'>;

export interface Cast {
  readonly owner: Side;
  readonly recipients: Side;
  /** Files of alice, each of which is shared with all recipients. */
  readonly files: readonly string[];
  readonly uids: readonly string[];
  readonly random: Random;
}

/** Shares from alice at one organisation to users at the other, each until its end. */
export class ShareStories {
  readonly stories = new Map<string, Story>();
  /** Ids of shares whose owner has already acted after their acceptance. */
  private readonly finished = new Set<string>();

  private readonly untold: { file: string; uid: string; fate: Fate }[];
  /** Number of shares in the end. */
  readonly size: number;

  constructor(private readonly cast: Cast) {
    const pairs = cast.files.flatMap((file) => cast.uids.map((uid) => ({ file, uid })));
    this.untold = pairs.map((pair, index) => ({ ...pair, fate: FATES[index % FATES.length]! }));
    this.size = pairs.length;
  }

  /** Creates the next shares, and immediately does their owner's next action. */
  async tell(count: number): Promise<void> {
    const wanted = this.untold.splice(0, count).values();
    const hand = async (): Promise<void> => {
      for (const { file, uid, fate } of wanted) await this.begin(file, uid, fate);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, hand));
  }

  /** Lets recipients and the owner continue until `signal` ends it. An actor without a share tries again. */
  async goOn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const deciding = (await this.undecided()).map((uid) => this.decide(uid).catch(() => undefined));
      await Promise.all(deciding);
      await this.finish();
      await pause(BREATH_MS);
    }
  }

  private async begin(path: string, uid: string, fate: Fate): Promise<void> {
    const form = { path, shareType: '6', shareWith: `${uid}@${this.cast.recipients.host}` };
    const { id, token } = (await this.must('POST', SHARES, form)).data as { id: string; token: string };
    const last = this.cast.random() < 0.5 ? 1 : 17;
    const permissions = fate.endsWith('changed') ? last : OFFERED;
    this.stories.set(id, { fate, id, token, permissions });
    if (fate === 'changed') await this.change(id, last);
    if (fate === 'unshared') await this.must('DELETE', `${SHARES}/${id}`);
  }

  /** Several changes one after the other: the last one must remain. */
  private async change(id: string, last: number): Promise<void> {
    for (const permissions of [3, last === 1 ? 17 : 1, last])
      await this.must('PUT', `${SHARES}/${id}`, { permissions: String(permissions) });
  }

  /** Recipients with a share that they accept or decline. */
  private async undecided(): Promise<readonly string[]> {
    const rows = await this.cast.recipients.outbox.query<{ id: string; uid: string }>(UNDECIDED);
    const decided = rows.filter(({ id }) => {
      const fate = this.stories.get(id)?.fate;
      return fate === 'declined' || fate?.startsWith('accepted');
    });
    return [...new Set(decided.map(({ uid }) => uid))];
  }

  private async decide(uid: string): Promise<void> {
    const { client } = this.cast.recipients;
    const { data } = await client.ocs('GET', PENDING, { as: uid });
    for (const { id, remote_id: remoteId } of data as { id: number; remote_id: string }[]) {
      const fate = this.stories.get(remoteId)?.fate;
      if (fate === 'declined') await client.ocs('DELETE', `${PENDING}/${id}`, { as: uid });
      if (fate?.startsWith('accepted')) await client.ocs('POST', `${PENDING}/${id}`, { as: uid });
    }
  }

  /** Deletes or changes the shares that are known to be accepted. */
  private async finish(): Promise<void> {
    const rows = await this.cast.owner.outbox.query<{ id: number }>(
      `SELECT id FROM share WHERE share_type = 6 AND acceptance = 'accepted'`,
    );
    for (const { fate, id, permissions } of rows.flatMap((row) => this.stories.get(String(row.id)) ?? [])) {
      if (this.finished.has(id)) continue;
      this.finished.add(id);
      if (fate === 'accepted, then changed') await this.change(id, permissions);
      if (fate === 'accepted, then unshared') await this.must('DELETE', `${SHARES}/${id}`);
    }
  }

  private async must(method: string, path: string, form?: Record<string, string>): Promise<EdgeEnvelope> {
    const envelope = await this.cast.owner.client.ocs(method, path, { as: 'alice', form });
    if (envelope.code !== 100) throw new Error(`${method} ${path}: ${envelope.code} ${envelope.message}`);
    return envelope;
  }
}
