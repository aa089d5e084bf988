import { open } from 'node:fs/promises';

/** The running sync of a directory, and the next one. */
interface Syncs {
  running: Promise<void>;
  next: Promise<void> | undefined;
}

/**
 * Syncs directories with the disk. Callers that come during a sync share the next sync of the directory, which begins
 * after all of their changes.
 */
export class DirectorySyncs {
  private readonly syncs = new Map<string, Syncs>();

  /** Resolves when every present name in the directory survives a loss of power. @throws errors of the disk */
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
