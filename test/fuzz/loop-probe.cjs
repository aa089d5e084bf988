// Loaded into a gateway by `node --require`: writes a line for each pause of its event loop, `<end> <milliseconds>`, to
// the file in LOOP_PROBE. It counts only processor time of the thread, so that a busy machine adds nothing.
const { appendFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const EVERY_MS = 10;
const NOTED_MS = 50;

const computedMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

if (isMainThread && process.env.LOOP_PROBE !== undefined) {
  let [at, computed] = [performance.now(), computedMs()];
  setInterval(() => {
    const [now, total] = [performance.now(), computedMs()];
    const paused = Math.min(now - at, total - computed);
    [at, computed] = [now, total];
    if (paused >= NOTED_MS) appendFileSync(process.env.LOOP_PROBE, `${Date.now()} ${Math.round(paused)}\n`);
  }, EVERY_MS).unref();
}
