import { setTimeout as delay } from 'node:timers/promises';
import { USE_NOTED_MS } from '#federation/exchange';
import {
  RemoteNodeRepository,
  type Database,
  type MountedShareRow,
  type NodeRow,
  type StoredPlace,
} from '#persistence';
import { notFound } from '../tree/admission';
import { ROOT, type NodePath } from '../tree/node-path';
import type { TreeFailure } from '../tree/tree-failure';
import { LastTimes } from './last-times';
import { LONG_PATIENCE_MS, PROBE_MS, PATIENCE_MS, within } from '#federation/remote-files';
import { RemoteFailure } from '#federation/remote-files';
import type { RemoteFiles } from '#federation/remote-files';
import { recordFailure, recordProbe, recordMissing } from './remote-record';
import { treeFailureOf, unavailable } from './remote-refusal';

/** Pause before a share that its partner does not show is probed again, while the partner's other files answer. */
const RETRY_EVERY_MS = 5_000;
/** Pause between checks while the end of a share is awaited. */
const END_POLL_MS = 200;
/** Minimum time between requests for permissions after a refusal. */
const PERMISSIONS_EVERY_MS = 1_000;

/** A path in a storage with content at a partner, and the known facts about it. */
export interface RemotePlace {
  readonly receivedShareId: number;
  readonly path: NodePath;
  readonly node: NodeRow | null;
}

/** @returns undefined if the content is local */
export function remotePlaceOf(
  place: Pick<StoredPlace, 'receivedShareId' | 'storagePath' | 'node'>,
): RemotePlace | undefined {
  const { receivedShareId, storagePath, node } = place;
  return receivedShareId === null ? undefined : { receivedShareId, path: storagePath as NodePath, node };
}

/** Result of a probe: it was stored, or it failed. */
type ProbeOutcome = RemoteFailure | undefined;

/**
 * Refreshes the stored facts about shares from partners when somebody asks for them. Simultaneous requests for one path share
 * one probe. A listing waits at most a second if there is something to show. If the partner did not answer the last time, it
 * does not wait at all until another probe is due.
 */
export class RemoteTree {
  private readonly probes = new Map<string, Promise<ProbeOutcome>>();
  private readonly probedAt = new LastTimes();
  private readonly rootAsked = new LastTimes();
  private readonly useNoted = new LastTimes<string>();

  constructor(
    private readonly database: Database,
    private readonly files?: RemoteFiles,
  ) {}

  /** The partners' files. @throws TreeFailure `unavailable` in a process that contacts no partners */
  get partners(): RemoteFiles {
    if (!this.files) throw unavailable();
    return this.files;
  }

  get reachesPartners(): boolean {
    return this.files !== undefined;
  }

  /** @throws TreeFailure `not-found` when the share has ended */
  async share(receivedShareId: number): Promise<MountedShareRow> {
    const share = await new RemoteNodeRepository(this.database).findMounted(receivedShareId);
    if (!share) throw notFound(ROOT);
    return share;
  }

  /** Notes that a user opened a folder with mounts below it, as sync clients do all the time. */
  async noteUse(uid: string): Promise<void> {
    if (!this.files || !this.useNoted.isDue(uid, USE_NOTED_MS)) return;
    this.useNoted.remember(uid);
    await new RemoteNodeRepository(this.database).noteUse(uid);
  }

  /**
   * Probes the entry at a place, with depth 1 also its children. Callers look it up again afterwards.
   * @throws TreeFailure `unavailable` if nothing is known of it and the partner does not answer
   */
  async refresh(place: RemotePlace, depth: 0 | 1): Promise<void> {
    if (!this.files) return;
    const share = await this.share(place.receivedShareId);
    const isKnown =
      place.node !== null && (depth === 0 || place.node.kind === 'file' || place.node.listedAt !== null);
    const isDue = this.isDue(share);
    if (isKnown && isTroubled(share)) {
      if (isDue) await within(this.probe(share, place, depth), PATIENCE_MS);
      return;
    }
    if (isTroubled(share) && !isDue) throw unavailable(waitOf(share));
    const probe = await within(this.probe(share, place, depth), isKnown ? PATIENCE_MS : LONG_PATIENCE_MS);
    if (!isKnown && probe !== undefined && !isMissing(probe))
      throw probe === 'late' ? unavailable() : await this.refusal(share, probe);
  }

  /** The same before a change, for which stored facts are not enough. @throws TreeFailure as a change would be refused */
  async consult(place: RemotePlace, depth: 0 | 1 = 0): Promise<void> {
    const share = await this.share(place.receivedShareId);
    if (isShut(share)) throw unavailable(waitOf(share));
    const probe = await within(this.probe(share, place, depth), LONG_PATIENCE_MS);
    if (probe === 'late') throw unavailable();
    if (probe && !isMissing(probe)) throw await this.refusal(share, probe);
  }

  /**
   * Asks the partner for its permissions, at most once per second and share, so that nothing is refused by old facts alone.
   * @returns whether it answered now
   */
  async askPermissions(receivedShareId: number): Promise<boolean> {
    if (!this.files || !this.rootAsked.isDue(receivedShareId, PERMISSIONS_EVERY_MS)) return false;
    this.rootAsked.remember(receivedShareId);
    const root = { receivedShareId, path: ROOT, node: null };
    const probe = await within(this.probe(await this.share(receivedShareId), root, 0), LONG_PATIENCE_MS);
    return probe === undefined;
  }

  /** Runs a change at the partner. Answers from before its end are outdated. @throws TreeFailure */
  async change<T>(share: MountedShareRow, work: (partner: RemoteFiles) => Promise<T>): Promise<T> {
    try {
      return await work(this.partners);
    } catch (error) {
      throw error instanceof RemoteFailure ? await this.refusal(share, error) : error;
    } finally {
      this.forgetProbes(share.receivedShareId);
    }
  }

  /** A denied share may have ended a moment ago: its owner's message is awaited, at most for a second. */
  async refusal({ receivedShareId }: MountedShareRow, failure: RemoteFailure): Promise<TreeFailure> {
    if (failure.code !== 'denied') return treeFailureOf(failure);
    for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += END_POLL_MS) {
      if (!(await new RemoteNodeRepository(this.database).findMounted(receivedShareId)))
        return notFound(ROOT);
      await delay(END_POLL_MS);
    }
    return treeFailureOf(failure);
  }

  /** Running probes may have missed the change, so later callers get the answer of another probe. */
  private forgetProbes(receivedShareId: number): void {
    for (const key of this.probes.keys()) if (key.startsWith(`${receivedShareId} `)) this.probes.delete(key);
  }

  private isDue(share: MountedShareRow): boolean {
    const shutMs = share.trouble?.shutMs ?? null;
    if (shutMs !== null) return shutMs <= 0;
    return this.probedAt.isDue(share.receivedShareId, RETRY_EVERY_MS);
  }

  private probe(share: MountedShareRow, place: RemotePlace, depth: 0 | 1): Promise<ProbeOutcome> {
    const [shallow, deep] = [0, 1].map((level) => `${share.receivedShareId} ${level} ${place.path}`) as [
      string,
      string,
    ];
    const underWay = this.probes.get(deep) ?? (depth === 0 ? this.probes.get(shallow) : undefined);
    if (underWay) return underWay;
    const key = depth === 0 ? shallow : deep;
    const probe: Promise<ProbeOutcome> = this.probeNow(share, place, depth).finally(() => {
      if (this.probes.get(key) === probe) this.probes.delete(key);
    });
    this.probes.set(key, probe);
    this.probedAt.remember(share.receivedShareId);
    return probe;
  }

  private async probeNow(
    share: MountedShareRow,
    { path, node }: RemotePlace,
    depth: 0 | 1,
  ): Promise<ProbeOutcome> {
    try {
      const entries = await this.partners.probe(share, path, depth, PROBE_MS);
      await recordProbe(this.database, share, path, depth, entries);
      return undefined;
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      return this.judge(share, path, node, error);
    }
  }

  /** A missing entry is removed only if the share itself is there. */
  private async judge(
    share: MountedShareRow,
    path: NodePath,
    node: NodeRow | null,
    failure: RemoteFailure,
  ): Promise<ProbeOutcome> {
    if (isMissing(failure) && path !== ROOT) {
      if (node === null) return failure;
      const ofRoot = await this.probeNow(
        share,
        { receivedShareId: share.receivedShareId, path: ROOT, node: null },
        0,
      );
      if (ofRoot === undefined) await recordMissing(this.database, share, path);
      return ofRoot ?? failure;
    }
    if (RECORDED_CODES.has(failure.code)) await recordFailure(this.database, share, failure);
    return isMissing(failure) ? new RemoteFailure('denied', failure.hostKey, failure.detail) : failure;
  }
}

/** Failures of a probe that concern the share rather than the entry. */
const RECORDED_CODES: ReadonlySet<string> = new Set(['unreachable', 'not-understood', 'denied', 'missing']);

const isTroubled = ({ trouble, unreachableSince }: MountedShareRow): boolean =>
  unreachableSince !== null || (trouble !== null && trouble.shutMs !== null);

const isShut = ({ trouble }: MountedShareRow): boolean => (trouble?.shutMs ?? 0) > 0;

/** Seconds until the partner may be asked again; undefined if that is not known. */
const waitOf = (share: MountedShareRow): number | undefined =>
  isShut(share) ? Math.ceil(share.trouble!.shutMs! / 1000) : undefined;

const isMissing = (probe: ProbeOutcome | 'late'): boolean =>
  probe instanceof RemoteFailure && probe.code === 'missing';
