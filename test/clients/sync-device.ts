import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASSWORD } from '../edge/edge-client';
import type { ClientWorld } from './client-world';
import { run } from './programs';

export type SyncProgram = 'owncloudcmd' | 'nextcloudcmd';

/** A folder that a sync client keeps equal to alice's tree. */
export class SyncDevice {
  private constructor(
    readonly folder: string,
    private readonly program: SyncProgram,
    private readonly args: readonly string[],
  ) {}

  static in(world: ClientWorld, program: SyncProgram): SyncDevice {
    const folder = world.folder(program);
    // The packages of the commands have no list of excluded names.
    const excluded = join(world.folder(`${program}-settings`), 'excluded');
    writeFileSync(excluded, '*.~*\n');
    const account = ['-u', 'alice', '-p', PASSWORD, folder, world.url];
    return new SyncDevice(folder, program, [
      ...['--non-interactive', '--trust', '--exclude', excluded],
      ...account,
    ]);
  }

  /** @returns its output @throws Error with the output, if the client reports a failure */
  sync(): Promise<string> {
    return run(this.program, this.args, { env: { QT_QPA_PLATFORM: 'offscreen' } });
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.folder, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  /** Names that a user sees in a folder; the clients' own files are left out. */
  listed(path = ''): string[] {
    return readdirSync(join(this.folder, path))
      .filter((name) => !/^\.(?:_sync_|sync_|owncloudsync|nextcloudsync)/.test(name))
      .sort();
  }
}
