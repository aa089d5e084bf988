import type { Organisation } from './organisation';
import type { Fate, Story } from './share-stories';

/** A share on one side; undefined if that side has no row of it. */
type Side = Readonly<Record<string, unknown>> | undefined;

export interface ShareEnds {
  readonly owner: Side;
  /** All rows of the share on the recipient's side. */
  readonly recipient: readonly NonNullable<Side>[];
}

const OWNED = `SELECT id::text, permissions, delivery_state, acceptance FROM share WHERE share_type = 6`;
/** No content is served here: accepted shares may be in quarantine, and are listed like all others. */
const RECEIVED = `SELECT provider_id AS id, permissions, CASE state WHEN 'quarantined' THEN 'accepted' ELSE state END AS state
  FROM received_share`;
const OPEN = `SELECT count(*)::int + (SELECT count(*)::int FROM share_event) AS open FROM outbox_message
  WHERE state IN ('pending', 'queued', 'inflight')`;

/** An organisation with given or received shares. */
type Holder = Pick<Organisation, 'outbox'>;
type Row = { id: string } & NonNullable<Side>;

/** State of each share on both sides. */
export async function readEnds(owner: Holder, recipients: Holder): Promise<(id: string) => ShareEnds> {
  const [owned, received] = [
    await owner.outbox.query<Row>(OWNED),
    await recipients.outbox.query<Row>(RECEIVED),
  ];
  const ownedById = new Map(owned.map(({ id, ...rest }) => [id, rest]));
  const receivedById = Map.groupBy(received, ({ id }) => id);
  return (id) => ({
    owner: ownedById.get(id),
    recipient: (receivedById.get(id) ?? []).map(({ id: _, ...rest }) => rest),
  });
}

/** Number of messages that are not delivered yet. */
export async function openMessages(...organisations: readonly Holder[]): Promise<number> {
  const counts = organisations.map(({ outbox }) => outbox.query<{ open: number }>(OPEN));
  return (await Promise.all(counts)).reduce((sum, [row]) => sum + row!.open, 0);
}

/** The right final states of a share; there can be several. */
export function rightEnds({ fate, permissions }: Story): readonly ShareEnds[] {
  const owned = (acceptance: string): Side => ({ permissions, delivery_state: 'delivered', acceptance });
  const received = (state: string): readonly NonNullable<Side>[] => [{ permissions, state }];
  const ends: Readonly<Record<Fate, readonly ShareEnds[]>> = {
    created: [{ owner: owned('unknown'), recipient: received('pending') }],
    changed: [{ owner: owned('unknown'), recipient: received('pending') }],
    accepted: [{ owner: owned('accepted'), recipient: received('accepted') }],
    'accepted, then changed': [{ owner: owned('accepted'), recipient: received('accepted') }],
    declined: [{ owner: undefined, recipient: received('declined') }],
    // The recipient never gets a share that was withdrawn before it was sent.
    unshared: [
      { owner: undefined, recipient: [] },
      { owner: undefined, recipient: received('gone') },
    ],
    'accepted, then unshared': [{ owner: undefined, recipient: received('gone') }],
  };
  return ends[fate];
}

export const isRight = (story: Story, seen: ShareEnds): boolean =>
  rightEnds(story).some((right) => JSON.stringify(sorted(right)) === JSON.stringify(sorted(seen)));

const sorted = ({ owner, recipient }: ShareEnds): unknown => [owner && keyed(owner), recipient.map(keyed)];
const keyed = (row: NonNullable<Side>): unknown => Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));

/** The owner's acceptance for each state on the recipient's side, for shares that both sides have. */
const ACCEPTANCE: Readonly<Record<string, string>> = { pending: 'unknown', accepted: 'accepted' };

/**
 * Shares with different states on the two sides, after all messages have arrived: the recipient's side must have each
 * share of the owner once, and no other active share.
 */
export async function disagreements(owner: Holder, recipients: Holder): Promise<string[]> {
  const owned = await owner.outbox.query<Row>(OWNED);
  const received = Map.groupBy(await recipients.outbox.query<Row>(RECEIVED), ({ id }) => id);
  const wrong = owned.flatMap(({ id, delivery_state: delivery, acceptance }) => {
    const there = received.get(id) ?? [];
    const isRightOnce = there.length === 1 && ACCEPTANCE[String(there[0]!.state)] === acceptance;
    return isRightOnce && delivery === 'delivered'
      ? []
      : [JSON.stringify({ id, delivery, acceptance, there })];
  });
  const known = new Set(owned.map(({ id }) => id));
  const open = [...received].filter(
    ([id, rows]) => !known.has(id) && rows.some(({ state }) => state !== 'gone' && state !== 'declined'),
  );
  return [...wrong, ...open.map(([id, rows]) => JSON.stringify({ id, unknownToOwner: rows }))];
}
