#!/usr/bin/env node
// Follows the README as a new user: on a clean clone of HEAD, with an empty HOME, as the current account and, if that
// is root, as an unprivileged one too.
//   node scripts/fresh-clone.mjs [--account NAME]
import { readFileSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printedAmongOthers, printsAsShown, readTour } from './fresh-clone/readme-tour.mjs';
import { invite } from './fresh-clone/visitor.mjs';

const URL = 'http://127.0.0.1:8080';
const FIRST_START_MS = 600_000;
const PRINTED_WITHIN_MS = 180_000;
const STOP_MS = 30_000;
const UNPRIVILEGED = 'nobody';

const { values: options } = parseArgs({ options: { account: { type: 'string' } } });

function portIsTaken() {
  const { hostname, port } = new globalThis.URL(URL);
  return new Promise((answer) => {
    const socket = createConnection({ host: hostname, port: Number(port) });
    socket.once('connect', () => answer(socket.destroy() && true));
    socket.once('error', () => answer(false));
  });
}

async function until(what, limitMs, condition) {
  const startedAt = Date.now();
  while (!(await condition())) {
    if (Date.now() - startedAt > limitMs) throw new Error(`${what} took longer than ${limitMs / 1000} s`);
    await new Promise((passed) => setTimeout(passed, 50));
  }
  return Date.now() - startedAt;
}

/** Starts the gateway as the README says; resolves when it serves requests. */
async function start(visitor, command, limitMs) {
  const child = visitor.start(command);
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => output.push(String(text)));
  const exit = new Promise((done) => child.once('exit', (code, signal) => done(code ?? signal)));
  const ready = () => {
    if (child.exitCode !== null)
      throw new Error(`"${command}" ended with ${child.exitCode}:\n${output.join('')}`);
    return fetch(`${URL}/health/ready`).then(
      (reply) => reply.ok,
      () => false,
    );
  };
  try {
    return { child, exit, output, tookMs: await until('the start', limitMs, ready) };
  } catch (error) {
    if (child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    throw error;
  }
}

/** Sends the signal and requires a clean end. */
async function stop(visitor, running, signal, toGroup) {
  process.kill(toGroup ? -running.child.pid : running.child.pid, signal);
  const overdue = setTimeout(() => process.kill(-running.child.pid, 'SIGKILL'), STOP_MS);
  const code = await running.exit;
  clearTimeout(overdue);
  if (code !== 0)
    throw new Error(`after ${signal} it ended with ${code}, not 0:\n${running.output.join('')}`);
  const left = visitor.leftProcesses();
  if (left.length > 0) throw new Error(`after ${signal} these are left:\n${left.join('\n')}`);
  if (await portIsTaken()) throw new Error(`after ${signal} ${URL} still answers`);
  console.log(`  stopped by ${signal}: exit code 0, no process left, port free`);
}

function takeTour(visitor, tour) {
  const boundary = '=== end of a block of the README ===';
  const script = tour.map(({ commands }) => `${commands}\nprintf '\\n%s\\n' '${boundary}'`).join('\n');
  const printed = visitor.run(script).split(`\n${boundary}\n`);
  tour.forEach(({ commands, prints }, at) => {
    if (prints === undefined || printsAsShown(printed[at], prints)) return;
    throw new Error(`The README says that\n${commands}prints\n${prints}but it prints\n${printed[at]}`);
  });
  console.log(
    `  tour: ${tour.length} blocks of commands run, ${tour.filter(({ prints }) => prints).length} outputs as shown`,
  );
}

/** The generated password is only in its file. */
function refusePrintedPassword(visitor, output) {
  const password = readFileSync(join(visitor.clone, 'data/admin-password'), 'utf8').trim();
  if (output.includes(password)) throw new Error("the start printed the administrator's password");
}

async function visit(visitor) {
  const { start: shown, tour } = readTour(readFileSync(join(visitor.clone, 'README.md'), 'utf8'));
  const command = shown.commands;
  const first = await start(visitor, command, FIRST_START_MS);
  console.log(`  "${command}" on a fresh clone: ready after ${(first.tookMs / 1000).toFixed(1)} s`);
  try {
    await until(`printing "${shown.prints}"`, PRINTED_WITHIN_MS, () =>
      printedAmongOthers(first.output.join(''), shown.prints),
    );
    takeTour(visitor, tour);
    refusePrintedPassword(visitor, first.output.join(''));
  } finally {
    await stop(visitor, first, 'SIGINT', true);
  }
  const warm = await start(visitor, command, FIRST_START_MS);
  console.log(`  again: ready after ${(warm.tookMs / 1000).toFixed(1)} s`);
  await stop(visitor, warm, 'SIGTERM', false);
  const changed = visitor.run('git status --porcelain');
  if (changed !== '') throw new Error(`start and tour left files that git does not ignore:\n${changed}`);
}

if (await portIsTaken()) {
  console.error(`${URL} is in use: stop what listens there, the README's commands need it.`);
  process.exit(1);
}
const current = userInfo().username;
const accounts = options.account
  ? [options.account]
  : process.getuid() === 0
    ? [current, UNPRIVILEGED]
    : [current];
const visitors = [];
try {
  for (const account of accounts) {
    console.log(`As ${account}:`);
    visitors.push(invite(account, visitors.at(-1)?.npmCache));
    await visit(visitors.at(-1));
  }
  console.log(`${accounts.length} passed, 0 failed, 0 skipped`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  for (const { directory } of visitors) rmSync(directory, { recursive: true, force: true });
}
