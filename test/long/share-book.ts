import type { FederationOutbox } from '../../libs/testing/src/rigs/federation-outbox';
import type { LoadClient } from './load-client';

const SHARES = '/apps/files_sharing/api/v1/shares';

/** A share that can exist once. */
export interface Sharing {
  readonly path: string;
  readonly shareType: '0' | '1' | '3' | '6';
  /** Empty for a link. */
  readonly shareWith: string;
}

interface ShareRow {
  readonly id: string;
  readonly path: string;
  readonly type: number;
  readonly recipient: string;
}

const ROWS = `SELECT s.id::text, n.path, s.share_type AS type, coalesce(s.recipient, '') AS recipient
  FROM share s JOIN node n ON n.id = s.node_id WHERE s.initiator_uid = $1`;

const keyOf = ({ path, shareType, shareWith }: Sharing): string => `${shareType} ${path} ${shareWith}`;

/** Shares and unshares in turn, and records the expected shares by the answers. */
export class ShareBook {
  private readonly shared = new Map<string, string>();
  /** Shares whose last answer was lost: they may exist or not. */
  private readonly unknown = new Set<string>();
  private turn = 0;

  constructor(
    private readonly uid: string,
    private readonly sharings: readonly Sharing[],
  ) {}

  /** Creates the next share, or deletes it if it exists. */
  async goOn(client: LoadClient): Promise<void> {
    const sharing = this.sharings[this.turn++ % this.sharings.length]!;
    const key = keyOf(sharing);
    if (this.unknown.has(key)) return;
    this.unknown.add(key);
    const id = this.shared.get(key);
    this.shared.delete(key);
    const answer = await (id === undefined ? this.share(client, sharing) : this.unshare(client, id));
    if (!answer) return;
    this.unknown.delete(key);
    if (id === undefined) this.shared.set(key, (answer.data as { id: string }).id);
  }

  /** Differences from the expected end: lost, doubled, or still there. */
  async differences(outbox: FederationOutbox): Promise<string[]> {
    const rows = await outbox.query<ShareRow>(ROWS, [this.uid]);
    const there = new Map(rows.map((row) => [keyOfRow(row), row.id]));
    const doubled = rows.filter((row) => there.get(keyOfRow(row)) !== row.id);
    const surplus = rows.filter((row) => !this.shared.has(keyOfRow(row)) && !this.unknown.has(keyOfRow(row)));
    const lost = [...this.shared].filter(([key, id]) => there.get(key) !== id);
    return [
      ...doubled.map((row) => `doubled ${keyOfRow(row)}`),
      ...surplus.map((row) => `still there ${keyOfRow(row)}`),
      ...lost.map(([key]) => `lost ${key}`),
    ];
  }

  private share(client: LoadClient, { path, shareType, shareWith }: Sharing) {
    const form = { path, shareType, ...(shareWith === '' ? {} : { shareWith }) };
    return client.ocs('POST', SHARES, { as: this.uid, form });
  }

  private unshare(client: LoadClient, id: string) {
    return client.ocs('DELETE', `${SHARES}/${id}`, { as: this.uid });
  }
}

const keyOfRow = ({ path, type, recipient }: ShareRow): string => `${type} ${path} ${recipient}`;
