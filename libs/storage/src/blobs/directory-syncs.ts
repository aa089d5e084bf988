import { open } from 'node:fs/promises';

/** The sync of a directory under way, and the one that begins after it. */
interface Syncs {
  running: Promise<void>;
  next: Promise<void> | undefined;
}

/**
 * Syncs directories with the disk. Callers that come while a directory is being synced share the next sync of it: that begins
 * after all of their changes.
 */
export class DirectorySyncs {
  private readonly syncs = new Map<string, Syncs>();

  /** Resolves when every name that is in the directory now survives a loss of power. @throws what the disk fails with */
  sync(directory: string): Promise<void> {
    const found = this.syncs.get(directory);
    if (!found) return this.begin(directory);
    found.next ??= found.running.then(
      () => this.begin(directory),
      () => this.begin(directory),
    );
    return found.next;
  }

  private begin(directory: string): Promise<void> {
    const syncs: Syncs = { running: syncDirectory(directory), next: undefined };
    this.syncs.set(directory, syncs);
    const end = (): void => {
      if (!syncs.next) this.syncs.delete(directory);
    };
    syncs.running.then(end, end);
    return syncs.running;
  }
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
