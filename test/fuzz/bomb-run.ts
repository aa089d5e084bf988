import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN, basicAuth, createTestDatabase, spawnGateway } from '#testing';
import { bombs, type Bomb } from './bombs';
import { Dice } from './dice';
import { isUnexpected } from './fuzz-watch';
import { holdLink } from './stage';
import { Wire } from './wire';

/** If pauses are measured, time for work after an answer that may still cause a pause. */
const AFTER_MS = 60;
const PROBE = join(__dirname, 'loop-probe.cjs');

export interface BombReport {
  readonly bombs: number;
  /** The longest pause of the event loop during all requests. */
  readonly longestPauseMs: number;
  readonly findings: readonly string[];
}

/**
 * Sends requests that are small and hard to parse, one at a time, to a gateway in a separate process.
 * @param longestPauseMs a longer pause of the event loop is a finding
 */
export async function throwBombs(seed: number, longestPauseMs: number): Promise<BombReport> {
  const directory = mkdtempSync(join(tmpdir(), 'drawbridge-bombs-'));
  const probe = join(directory, 'pauses');
  const database = await createTestDatabase();
  const gateway = await spawnGateway({
    env: {
      DATABASE_URL: database.url,
      DATA_DIR: directory,
      ADMIN_PASSWORD: ADMIN.password,
      NODE_OPTIONS: `--require=${PROBE}`,
      LOOP_PROBE: probe,
      ...{ CALLS_PER_MINUTE: '100000000', FAILED_CALLS_PER_MINUTE: '100000000' },
    },
  });
  const wire = new Wire(gateway.url);
  try {
    const adminAuth = basicAuth(ADMIN.uid, ADMIN.password);
    const { held, auth } = await holdLink(gateway.url, adminAuth);
    const findings: string[] = [];
    let longest = 0;
    const thrown = bombs(held, auth, new Dice(seed));
    for (const bomb of [...thrown.slice(0, 20), ...thrown]) {
      const { finding, pausedMs } = await throwOne(wire, bomb, probe, longestPauseMs < Infinity);
      if (finding !== undefined) findings.push(finding);
      if (pausedMs > longestPauseMs) findings.push(`a pause of ${pausedMs} ms: ${bomb.name}`);
      longest = Math.max(longest, pausedMs);
    }
    return { bombs: thrown.length, longestPauseMs: longest, findings };
  } finally {
    wire.close();
    await gateway.stop();
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function throwOne(
  wire: Wire,
  { name, request }: Bomb,
  probe: string,
  isTimed: boolean,
): Promise<{ finding?: string; pausedMs: number }> {
  rmSync(probe, { force: true });
  const reply = await wire.send(request);
  if (isTimed) await new Promise((resolve) => setTimeout(resolve, AFTER_MS));
  const pausedMs = longestPause(probe);
  if (isUnexpected(reply)) return { finding: `${reply.status}: ${name}`, pausedMs };
  return { pausedMs };
}

function longestPause(probe: string): number {
  if (!existsSync(probe)) return 0;
  const lines = readFileSync(probe, 'utf8').trim().split('\n');
  return Math.max(...lines.map((line) => Number(line.split(' ')[1])));
}
