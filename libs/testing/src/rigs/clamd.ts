import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { TEST_CONTENT } from '#scanning';
import { freePort } from './free-port';
import { eventually } from '../waiting';

/** EICAR's test content, which every scanner finds. */
export const EICAR = TEST_CONTENT;

/** Name of the finding in the database below. */
export const EICAR_FINDING = 'Drawbridge.Eicar.UNOFFICIAL';

/** Debian's clamd with a database of one signature. */
export interface TestClamd {
  /** Addresses for SCANNER: its port, and its socket. */
  readonly address: string;
  readonly socketAddress: string;
  /** Port for an ICAP server. */
  readonly port: number;
  /** Number of scanned contents. */
  scans(): number;
  /** Suspends it, and lets it continue: meanwhile it accepts connections and answers nothing. */
  freeze(): void;
  thaw(): void;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** @param options lines of its configuration, such as `StreamMaxLength 1M` */
export async function startClamd(...options: string[]): Promise<TestClamd> {
  const directory = mkdtempSync(join(tmpdir(), 'drawbridge-clamd-'));
  const [port, socket, log] = [await freePort(), join(directory, 'clamd.sock'), join(directory, 'log')];
  writeFileSync(join(directory, 'eicar.ndb'), `Drawbridge.Eicar:0:*:${Buffer.from(EICAR).toString('hex')}\n`);
  writeFileSync(
    join(directory, 'clamd.conf'),
    [
      ...[
        `DatabaseDirectory ${directory}`,
        `TCPSocket ${port}`,
        'TCPAddr 127.0.0.1',
        `LocalSocket ${socket}`,
      ],
      ...[`LogFile ${log}`, 'LogClean yes', 'Foreground yes', 'ConcurrentDatabaseReload no', ...options, ''],
    ].join('\n'),
  );
  const child = spawn('clamd', ['--config-file', join(directory, 'clamd.conf')], { stdio: 'ignore' });
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  const exit = new Promise<void>((ended) => child.once('close', () => ended()));
  await eventually('the start of clamd', async () => {
    if (failure) throw failure;
    return (await ping(port)) === 'PONG\n';
  });
  const end = (signal: NodeJS.Signals): Promise<void> => {
    child.kill('SIGCONT');
    child.kill(signal);
    return exit;
  };
  return {
    address: `clamd://127.0.0.1:${port}`,
    socketAddress: `clamd:${socket}`,
    port,
    scans: () => (readFileSync(log, 'utf8').match(/ (?:OK|FOUND)$/gm) ?? []).length,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill: () => end('SIGKILL'),
    stop: async () => {
      await end('SIGTERM');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function ping(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write('nPING\n');
  return text(socket).catch(() => '');
}
