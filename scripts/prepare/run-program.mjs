import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';

const HEARTBEAT_MS = 10_000;

/** Runs a program, prints every ten seconds that it still runs, and resolves with its exit code and its output. */
export function runProgram(command, args, options) {
  const startedAt = Date.now();
  const heartbeat = setInterval(() => {
    console.log(`  ... ${Math.round((Date.now() - startedAt) / 1000)} s`);
  }, HEARTBEAT_MS);
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk) => (output += chunk);
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const end = (code) => {
      clearInterval(heartbeat);
      resolve({ code, output });
    };
    child.on('error', (error) => {
      output += error.message;
      end(1);
    });
    child.on('close', (code) => end(code ?? 1));
  });
}

/** The environment without the clone's programs: an installation replaces its npm and Node, so they must not run it. */
export function machineEnvironment(root) {
  const own = join(root, 'node_modules');
  const path = process.env.PATH.split(delimiter).filter((entry) => !entry.startsWith(own));
  const environment = { ...process.env, PATH: path.join(delimiter) };
  for (const name of ['npm_execpath', 'npm_node_execpath', 'NODE', 'NODE_OPTIONS']) delete environment[name];
  return environment;
}
