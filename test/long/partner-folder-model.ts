/** Digest of a content in hexadecimal digits; null for no file. */
export type Content = string | null;

/** Answer to a change: done, refused, or unknown because its connection broke or a server failed. */
export type Outcome = 'done' | 'refused' | 'unknown';

/** Contents at the end of a run. */
export interface FoundContents {
  /** In the folder at its owner, by name. */
  readonly folder: ReadonlyMap<string, string>;
  /** Earlier contents of these files, and those in the trash bin, at the owner: one entry for each version. */
  readonly history: readonly string[];
  /** Files that the writer got instead of a delivery. */
  readonly copies: readonly string[];
}

/**
 * Contents that files in a partner's folder may have, after changes by one writer there and by the owner of the folder. A change whose
 * answer is unknown leaves several possible contents.
 */
export class PartnerFolderModel {
  private readonly possible = new Map<string, Set<Content>>();
  /** The name under which each content was first written. */
  private readonly sent = new Map<string, string>();
  /** Last acknowledged content of the owner, by name. */
  private readonly ofOwner = new Map<string, string>();
  /** Names that the owner changed as well. */
  private readonly touched = new Set<string>();
  readonly counts: Record<Outcome, number> = { done: 0, refused: 0, unknown: 0 };

  contentsOf(name: string): ReadonlySet<Content> {
    return this.possible.get(name) ?? new Set([null]);
  }

  write(name: string, digest: string, outcome: Outcome): void {
    this.counts[outcome]++;
    if (outcome === 'refused') return;
    this.sent.set(digest, name);
    this.set(name, outcome === 'done' ? [digest] : [...this.contentsOf(name), digest]);
  }

  remove(name: string, outcome: Outcome): void {
    this.counts[outcome]++;
    if (outcome !== 'refused') this.set(name, outcome === 'done' ? [null] : [...this.contentsOf(name), null]);
  }

  move(from: string, to: string, outcome: Outcome): void {
    this.counts[outcome]++;
    if (outcome === 'refused') return;
    const moved = [...this.contentsOf(from)];
    const isDone = outcome === 'done';
    this.set(to, isDone ? moved.filter((content) => content !== null) : [...this.contentsOf(to), ...moved]);
    this.set(from, isDone ? [null] : [...moved, null]);
  }

  /** @param digest null for a removal */
  changeByOwner(name: string, digest: Content, outcome: Outcome): void {
    if (outcome === 'refused') return;
    this.touched.add(name);
    if (digest !== null) this.sent.set(digest, name);
    if (digest !== null && outcome === 'done') this.ofOwner.set(name, digest);
  }

  /** Everything that was lost, doubled or never written. */
  problems({ folder, history, copies }: FoundContents): string[] {
    const problems: string[] = [];
    const kept = new Set([...history, ...copies]);
    const names = new Set([...this.possible.keys(), ...this.touched, ...folder.keys()]);
    for (const name of names) {
      const [found, possible] = [folder.get(name) ?? null, [...this.contentsOf(name)]];
      const isShared = this.touched.has(name);
      const isRight =
        possible.includes(found) || possible.some((one) => one !== null && copies.includes(one));
      if (!isShared && !isRight) problems.push(`${name}: has ${found}, expected ${possible.join(' or ')}`);
      const [only, ...others] = possible;
      const isLost = others.length === 0 && typeof only === 'string' && found !== only && !kept.has(only);
      if (isShared && isLost) problems.push(`${name}: the writer's ${only} is lost`);
      const owners = this.ofOwner.get(name);
      if (owners !== undefined && ![...folder.values(), ...history].includes(owners))
        problems.push(`${name}: the owner's ${owners} is lost`);
    }
    for (const digest of [...folder.values(), ...copies])
      if (!this.sent.has(digest)) problems.push(`${digest}: nobody wrote it`);
    return [...problems, ...this.doubled({ folder, history, copies })];
  }

  private doubled({ folder, history, copies }: FoundContents): string[] {
    const all = [...folder.values(), ...history, ...copies];
    const repeated = all.filter((digest, at) => all.indexOf(digest) !== at);
    // The owner may have replaced a content before its delivery, whose answer was lost, could be recognised.
    const isExcused = (digest: string): boolean =>
      this.touched.has(this.sent.get(digest) ?? '') &&
      copies.includes(digest) &&
      ![...folder.values()].includes(digest);
    return [...new Set(repeated)]
      .filter((digest) => !isExcused(digest))
      .map((digest) => `${digest}: there twice`);
  }

  private set(name: string, contents: readonly Content[]): void {
    this.possible.set(name, new Set(contents));
  }
}
