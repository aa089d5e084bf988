import type { Organisation } from './organisation';
import type { Fate, Story } from './share-stories';

/** A share as one side has it; undefined where it is gone without a trace. */
type Side = Readonly<Record<string, unknown>> | undefined;

export interface ShareEnds {
  readonly owner: Side;
  /** Every row that the recipient's side has of it. */
  readonly recipient: readonly NonNullable<Side>[];
}

const OWNED = `SELECT id::text, permissions, delivery_state, acceptance FROM share WHERE share_type = 6`;
/** No content is served here: accepted shares may be in quarantine, and are listed like all others. */
const RECEIVED = `SELECT provider_id AS id, permissions, CASE state WHEN 'quarantined' THEN 'accepted' ELSE state END AS state
  FROM received_share`;
const OPEN = `SELECT count(*)::int + (SELECT count(*)::int FROM share_event) AS open FROM outbox_message
  WHERE state IN ('pending', 'queued', 'inflight')`;

/** An organisation that has shares, given or received. */
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

/** How many messages somebody still has to deliver. */
export async function openMessages(...organisations: readonly Holder[]): Promise<number> {
  const counts = organisations.map(({ outbox }) => outbox.query<{ open: number }>(OPEN));
  return (await Promise.all(counts)).reduce((sum, [row]) => sum + row!.open, 0);
}

/** The right states of a share in the end; several where more than one is right. */
export function rightEnds({ fate, permissions }: Story): readonly ShareEnds[] {
  const owned = (acceptance: string): Side => ({ permissions, delivery_state: 'delivered', acceptance });
  const received = (state: string): readonly NonNullable<Side>[] => [{ permissions, state }];
  const ends: Readonly<Record<Fate, readonly ShareEnds[]>> = {
    created: [{ owner: owned('unknown'), recipient: received('pending') }],
    changed: [{ owner: owned('unknown'), recipient: received('pending') }],
    accepted: [{ owner: owned('accepted'), recipient: received('accepted') }],
    'accepted, then changed': [{ owner: owned('accepted'), recipient: received('accepted') }],
    declined: [{ owner: undefined, recipient: received('declined') }],
    // One that was taken back before it was sent is never heard of.
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

/** Acceptance on the owner's side, by the state on the recipient's side of a share that both sides know. */
const ACCEPTANCE: Readonly<Record<string, string>> = { pending: 'unknown', accepted: 'accepted' };

/**
 * Shares that the two sides do not agree on, when all messages have arrived: each that the owner has is there once, and
 * no other is there that has not ended.
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
