import {
  RemoteNodeRepository,
  StoredWriteRepository,
  type Database,
  type MountedShareRow,
} from '#persistence';
import { Locked } from '../locks/locked';
import { notFound } from '../tree/admission';
import type { NodePath } from '../tree/node-path';

/** Milliseconds for which waiting contents are held while a partner removes something. */
const HOLD_MS = 120_000;

/** Contents that wait at and below a path: none; exactly one that was never sent to the partner; others. */
export type WaitingBelow = 'none' | 'only-here' | 'some';

/**
 * Holds back contents that wait at and below a path of a share, until they are removed or released.
 * @throws Locked while one of them is being delivered
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

/** @throws Locked if a content waits at or below the path: it cannot be moved before its partner has it */
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
