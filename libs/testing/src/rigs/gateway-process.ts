import { spawn, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { eventually } from '../waiting';

/** The clone with the built programs. */
export const REPOSITORY = resolve(__dirname, '../../../..');
const NODE = resolve(REPOSITORY, 'node_modules/.bin/node');
/** Cache of compiled code that bin/drawbridge also uses: with it, an app is loaded in two thirds of the time. */
const COMPILED = resolve(REPOSITORY, 'node_modules/.cache/drawbridge');
const START_LIMIT_MS = 180_000;

const INHERITED = {
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '/',
  NODE_COMPILE_CACHE: COMPILED,
};

export interface ProcessOptions {
  /** Built program to run, `apps/<app>/src/main.js` below dist. */
  readonly app?: string;
  /** Command in place of Node and the app, such as ['npm', 'start']. */
  readonly command?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program of the product in its own process group, observed from outside. */
export interface StartedProcess {
  readonly child: ChildProcess;
  /** Its output so far, both streams together. */
  output(): string;
  /** Its standard error so far. */
  errors(): string;
  readonly exit: Promise<Exit>;
}

/** Starts a built program (after `npm run build`) with only the given environment. */
export function spawnApp(options: ProcessOptions): StartedProcess {
  const [program, ...args] = options.command ?? [
    NODE,
    `dist/apps/${options.app ?? 'standalone'}/src/main.js`,
  ];
  const child = spawn(program!, args, {
    cwd: options.cwd ?? REPOSITORY,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...INHERITED, ...options.env },
    uid: options.uid,
    gid: options.gid,
  });
  const written: string[] = [];
  const errors: string[] = [];
  child.stderr.on('data', (chunk) => errors.push(String(chunk)));
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => written.push(String(chunk)));
  const exit = new Promise<Exit>((ended, failed) => {
    child.once('error', failed);
    child.once('close', (code, signal) => ended({ code, signal }));
  });
  return { child, output: () => written.join(''), errors: () => errors.join(''), exit };
}

export interface SpawnedGateway extends StartedProcess {
  readonly url: string;
  /** The process that runs the gateway, even if npm started it. */
  readonly pid: number;
  /** Asks it to stop, and resolves with its exit. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

/** A process of apps/standalone, started and serving. Without PORT it takes a free one. */
export async function spawnGateway(options: ProcessOptions): Promise<SpawnedGateway> {
  const started = spawnApp({ ...options, env: { PORT: '0', LOG_LEVEL: 'info', ...options.env } });
  let ended: Exit | undefined;
  void started.exit.then((exit) => (ended = exit));
  const ready = await eventually(
    'the start of a gateway',
    () => {
      if (ended)
        throw new Error(`the gateway ended with ${ended.code ?? ended.signal}:\n${started.output()}`);
      return readAnnouncement(started.output());
    },
    START_LIMIT_MS,
  );
  return {
    ...started,
    ...ready,
    stop: (signal = 'SIGTERM') => {
      started.child.kill(signal);
      return started.exit;
    },
  };
}

function readAnnouncement(output: string): { url: string; pid: number } | undefined {
  const url = /listens on (http:\S+)/.exec(output)?.[1];
  const pid = /"pid":(\d+),"app":"standalone"/.exec(output)?.[1];
  return url && pid ? { url, pid: Number(pid) } : undefined;
}
