import {
  DirectorySyncRepository,
  ExternalGroupRepository,
  ExternalIdentityRepository,
  type DirectorySyncState,
  type ReadIdentity,
} from '#persistence';
import { DirectoryUnread, type DirectoryAnswer, type ReadDirectory } from './directory-content';
import type { GonePeople } from './gone-people';
import { lossesOf } from './losses-of-answer';
import { reasonToHoldBack } from './losses';
import type { ReadGroups } from './read-groups';
import { uidsAt, type ReadPeople } from './read-people';

/** Rules for reading a directory. */
export interface SyncRules {
  /** The part that may disappear at once, from 0 to 1. */
  readonly greatestLoss: number;
  /** Time between two complete readings. */
  readonly fullyEveryMs: number;
}

/** Updates accounts and groups from a directory. */
export class DirectorySync {
  constructor(
    private readonly directory: ReadDirectory,
    private readonly rules: SyncRules,
    private readonly store: {
      readonly states: DirectorySyncRepository;
      readonly identities: ExternalIdentityRepository;
      readonly groups: ExternalGroupRepository;
    },
    private readonly parts: {
      readonly people: ReadPeople;
      readonly gone: GonePeople;
      readonly groups: ReadGroups;
    },
  ) {}

  /** Reads changes, or everything if a complete reading is due. Without a usable answer, nothing changes. */
  async runDue(): Promise<void> {
    const state = await this.store.states.find(this.directory.source);
    const isDue = !state?.mark || Date.now() - (state.readFullyAt?.getTime() ?? 0) >= this.rules.fullyEveryMs;
    await (isDue ? this.runFully() : this.runChanges(state.mark));
  }

  /**
   * @param greatestLoss the part that may disappear this time
   * @returns the new state, with the result of this reading, even if another one has ended since
   */
  async runFully(greatestLoss = this.rules.greatestLoss): Promise<DirectorySyncState> {
    const noted = await this.noted(async () => {
      const answer = await this.directory.readAll();
      const known = await this.store.identities.read(this.directory.source);
      const heldBack = reasonToHoldBack(await this.losses(answer, known, true), greatestLoss);
      if (heldBack !== undefined) return { heldBack };
      const refused = await this.takeOver(answer, known);
      const readFullyAt = new Date();
      return {
        ...{ heldBack: null, refused, people: answer.people.length, groups: answer.groups?.length ?? 0 },
        ...{ mark: answer.mark ?? null, readAt: readFullyAt, readFullyAt },
      };
    });
    return { ...(await this.store.states.find(this.directory.source))!, ...noted };
  }

  private async runChanges(mark: string): Promise<void> {
    await this.noted(async () => {
      const known = await this.store.identities.read(this.directory.source);
      const places = new Map(known.map(({ subject, place }) => [subject, place]));
      const answer = await this.directory.readChanges(
        mark,
        (person) => places.get(person.subject) === person.place,
      );
      const heldBack = reasonToHoldBack(await this.losses(answer, known, false), this.rules.greatestLoss);
      if (heldBack !== undefined) return { heldBack };
      const { refused, now } = await this.parts.people.keep(answer.people, known);
      const refusedGroups = await this.parts.groups.keep(answer.groups, uidsAt(now));
      return { refused: refused + refusedGroups, mark: answer.mark ?? null, readAt: new Date() };
    });
  }

  /** @returns the number of people and groups that got no account or group */
  private async takeOver(answer: DirectoryAnswer, known: readonly ReadIdentity[]): Promise<number> {
    const { refused, now } = await this.parts.people.keep(answer.people, known);
    const there = new Set(answer.people.map(({ subject }) => subject));
    await this.parts.gone.end(known.filter(({ subject, goneAt }) => !there.has(subject) && goneAt === null));
    const refusedGroups = await this.parts.groups.keep(answer.groups, uidsAt(now));
    await this.parts.groups.removeGone(answer.groups);
    return refused + refusedGroups;
  }

  private async losses(answer: DirectoryAnswer, known: readonly ReadIdentity[], isWhole: boolean) {
    const { source } = this.directory;
    const groups = await this.store.groups.list(source);
    const memberships = await this.store.groups.allGiven(source);
    return lossesOf(answer, { people: known, groups, memberships }, isWhole);
  }

  /** Does a reading, and notes its result. Failures of the directory are noted; our own failures are thrown. */
  private async noted(
    read: () => Promise<Partial<DirectorySyncState>>,
  ): Promise<Partial<DirectorySyncState>> {
    const result = await resultOf(read);
    await this.store.states.note(this.directory.source, result);
    return result;
  }
}

async function resultOf(
  read: () => Promise<Partial<DirectorySyncState>>,
): Promise<Partial<DirectorySyncState>> {
  try {
    return { ...(await read()), failure: null, failedAt: null };
  } catch (error) {
    if (!(error instanceof DirectoryUnread)) throw error;
    return { failure: error.message.slice(0, 500), failedAt: new Date() };
  }
}
