import {
  RemoteNodeRepository,
  StoredWriteRepository,
  type Database,
  type MountedShareRow,
} from '#persistence';
import { Locked } from '../locks/locked';
import { notFound } from '../tree/admission';
import type { NodePath } from '../tree/node-path';

/** How long what waits is held while a partner removes something, in milliseconds. */
const HOLD_MS = 120_000;

/** Contents that wait at and below a path: none; just one, of which the partner has heard nothing; others. */
export type WaitingBelow = 'none' | 'only-here' | 'some';

/**
 * Keeps what waits at and below a path of a share from being delivered, until it is removed or released.
 * @throws Locked while some of it is on its way
 */
export function holdWaiting(
  database: Database,
  share: MountedShareRow,
  path: NodePath,
  pathInShare: NodePath,
): Promise<WaitingBelow> {
  const { receivedShareId, askedAt } = share;
  return database.transaction(async (transaction) => {
    if (!(await new RemoteNodeRepository(transaction).lock(receivedShareId, askedAt))) throw notFound(path);
    const writes = new StoredWriteRepository(transaction);
    const waiting = await writes.holdAtOrBelow(receivedShareId, pathInShare, HOLD_MS);
    if (waiting.some(({ isHeld }) => isHeld)) throw new Locked(path, [path]);
    const [only, ...others] = waiting;
    if (!only) return 'none';
    return others.length === 0 && only.path === pathInShare && only.isUnknownThere ? 'only-here' : 'some';
  });
}

/** @throws Locked where a content waits at or below the path: it is not moved before its partner has it */
export async function refuseWaiting(
  database: Database,
  receivedShareId: number | null,
  path: NodePath,
  pathInShare: string,
): Promise<void> {
  if (receivedShareId === null) return;
  const writes = new StoredWriteRepository(database);
  if (await writes.anyAtOrBelow(receivedShareId, pathInShare)) throw new Locked(path, [path]);
}
