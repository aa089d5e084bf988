import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { OcsFailure } from '#ocs/http';
import type { OcsValue } from '#ocs/protocol';

const PROGRAM = 'bin/drawbridge';
const LIMIT_MS = 60_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;

/**
 * Findings of `drawbridge doctor`, which runs as a separate process with the configuration of this one: it tests
 * the database, the queue and the blob store as another program would.
 */
@Injectable()
export class DoctorRun {
  private running: Promise<OcsValue> | undefined;

  /** Simultaneous callers share one run. @throws OcsFailure if it gives no result */
  findings(): Promise<OcsValue> {
    this.running ??= examine().finally(() => (this.running = undefined));
    return this.running;
  }
}

function examine(): Promise<OcsValue> {
  return new Promise((resolve, reject) => {
    const options = { timeout: LIMIT_MS, maxBuffer: MAX_OUTPUT_BYTES };
    // Its exit code says how bad the findings are, and is no failure.
    execFile(join(installation(__dirname), PROGRAM), ['doctor', '--json'], options, (_error, stdout) => {
      try {
        resolve((JSON.parse(stdout) as { readonly findings: OcsValue }).findings);
      } catch {
        reject(new OcsFailure(503, 'The doctor gives no answer'));
      }
    });
  });
}

/** The folder of this installation, above the compiled files. */
const installation = (folder: string): string =>
  existsSync(join(folder, PROGRAM)) || dirname(folder) === folder ? folder : installation(dirname(folder));
