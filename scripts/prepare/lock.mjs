import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 200;

/** Runs `work` while no other process of this clone does; takes over the lock of a process that died. */
export async function withLock(file, work) {
  let told = false;
  while (!tryToLock(file)) {
    if (!told) console.log('Waiting for another start that is installing or building ...');
    told = true;
    await pause(POLL_MS);
  }
  const release = () => rmSync(file, { force: true });
  process.once('exit', release);
  try {
    await work();
  } finally {
    release();
    process.off('exit', release);
  }
}

function tryToLock(file) {
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    removeStale(file);
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

function removeStale(file) {
  const holder = read(file);
  if (holder === undefined || isAlive(Number(holder))) return;
  // Several processes can find a stale lock, but only one moves it away; a process that moved a fresh lock by mistake
  // puts it back.
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
    if (read(aside) !== holder) linkSync(aside, file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
