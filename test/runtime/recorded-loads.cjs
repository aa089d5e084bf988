// Preloaded into a process by packages-at-start.spec.ts: when the process ends, it writes the files that it has loaded, one a line.
const { writeFileSync } = require('node:fs');
const { registerHooks } = require('node:module');

const loaded = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
process.on('exit', () => writeFileSync(process.env.RECORDED_LOADS, loaded.join('\n')));
