import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basicAuth, eventually, REPOSITORY } from '#testing';
import { freePort } from '../../../libs/testing/src/rigs/free-port';
import { commandBlocks } from '../../runtime/operations-pages';
import { run, succeed, type Ended } from '../deploy/programs';

const START_MS = 5 * 60_000;
const PASSWORD = 'choose-a-long-one';

/** An instance that was started by a command of a page. */
export interface Instance {
  readonly url: string;
  readonly host: string;
  /** Variables of the page, for the gateway and the command line. */
  readonly variables: Readonly<Record<string, string>>;
}

export const readPage = (name: string): string =>
  readFileSync(join(REPOSITORY, 'docs/operations', name), 'utf8');

/** The two instances of the page about onboarding, started by its last block, at free ports and in a temporary directory. */
export class TwoInstances {
  private readonly gateways: ChildProcess[] = [];

  private constructor(
    readonly directory: string,
    readonly ours: Instance,
    readonly partner: Instance,
  ) {}

  static async start(): Promise<TwoInstances> {
    const directory = mkdtempSync(join(tmpdir(), 'drawbridge-operations-'));
    const first = await freePort(2);
    const text = commandBlocks(readPage('onboarding.md'))
      .at(-1)!
      .replaceAll('8081', String(first))
      .replaceAll('8082', String(first + 1))
      .replaceAll('/tmp/', `${directory}/`);
    const commands = text.replaceAll('\\\n', ' ').trim().split('\n');
    const [ours, partner] = commands.map(instanceOf);
    const both = new TwoInstances(directory, ours!, partner!);
    mkdirSync(join(directory, 'bin'));
    const program = join(directory, 'bin/drawbridge');
    writeFileSync(program, `#!/bin/sh\nexec ${join(REPOSITORY, 'bin/drawbridge')} "$@"\n`);
    chmodSync(program, 0o755);
    try {
      // One after the other, because the first `npm start` may have to build.
      for (const [at, command] of commands.entries()) await both.launch(command, [ours!, partner!][at]!);
    } catch (error) {
      await both.stop();
      throw error;
    }
    return both;
  }

  /** Starts a gateway by a command that goes on until it is told to stop, and waits until it serves. */
  async launch(command: string, { url }: { readonly url: string }): Promise<ChildProcess> {
    const gateway = spawn('bash', ['-c', `exec env ${command}`], {
      cwd: REPOSITORY,
      env: this.environment({}),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.gateways.push(gateway);
    const said: string[] = [];
    for (const stream of [gateway.stdout, gateway.stderr])
      stream.on('data', (text) => said.push(String(text)));
    await eventually(
      `a gateway at ${url}`,
      async () => {
        if (gateway.exitCode !== null) throw new Error(`the gateway ended:\n${said.join('').slice(-2000)}`);
        const { status } = await fetch(`${url}/health/ready`).catch(() => ({ status: 0 }));
        return status === 200 || undefined;
      },
      START_MS,
    );
    return gateway;
  }

  /** Runs commands of a page, as the operator of an instance. */
  bash(script: string, { variables }: Pick<Instance, 'variables'> = this.ours, input = ''): Promise<Ended> {
    return run('bash', ['-c', `set -o pipefail\n${script}`], {
      cwd: this.directory,
      env: this.environment(variables),
      input,
    });
  }

  /** @throws Error where it fails. @returns its standard output */
  drawbridge(args: readonly string[], at = this.ours, input = ''): Promise<string> {
    return succeed(join(this.directory, 'bin/drawbridge'), args, {
      env: this.environment(at.variables),
      input,
    });
  }

  /** Makes an account. Its password is `passwordOf` its id. */
  async addUser(uid: string, at = this.ours): Promise<void> {
    await this.drawbridge(['user', 'add', uid], at, `${passwordOf(uid)}\n`);
  }

  /** A request as a user. @throws Error for a refusal */
  async ask(uid: string, path: string, init: RequestInit = {}, at = this.ours): Promise<Response> {
    const answer = await fetch(at.url + path, {
      ...init,
      headers: {
        authorization: basicAuth(uid, passwordOf(uid)),
        'ocs-apirequest': 'true',
        ...(init.headers as Record<string, string>),
      },
    });
    if (!answer.ok) throw new Error(`${path} is answered with ${answer.status}: ${await answer.text()}`);
    return answer;
  }

  async stop(): Promise<void> {
    await Promise.all(this.gateways.map(stopped));
    rmSync(this.directory, { recursive: true, force: true });
  }

  private environment(variables: Readonly<Record<string, string>>): Record<string, string> {
    return {
      PATH: `${join(this.directory, 'bin')}:${process.env.PATH ?? ''}`,
      HOME: this.directory,
      LOG_LEVEL: 'error',
      ...variables,
    };
  }
}

/** Asks a gateway to stop, and waits for its end. */
export async function stopped(gateway: ChildProcess): Promise<void> {
  if (gateway.exitCode !== null || gateway.signalCode !== null) return;
  const ended = new Promise((done) => gateway.once('exit', done));
  gateway.kill('SIGTERM');
  await ended;
}

export const passwordOf = (uid: string): string => (uid === 'admin' ? PASSWORD : `password-of-${uid}`);

/** Reads the variables of a command like `A=1 B=2 npm start`. */
function instanceOf(command: string): Instance {
  const variables = Object.fromEntries(
    [...command.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
  );
  const url = variables.PUBLIC_URL!;
  return { url, host: new URL(url).host, variables };
}
