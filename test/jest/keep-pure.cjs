// Pure specs open no process and no connection. A spec counts as pure by its imports (see levels.cjs); this file also
// refuses attempts of the tested code.
const childProcess = require('node:child_process');
const net = require('node:net');

let isPure = false;

/** Whether the present spec is pure. */
exports.keepPure = (value) => {
  isPure = value;
};

/** Makes a function fail while a pure spec runs. */
function guard(owner, name) {
  const original = owner[name];
  owner[name] = function (...args) {
    if (isPure) throw new Error(`A pure spec called ${name}(): see "Levels of tests" in CONTRIBUTING.md`);
    return original.apply(this, args);
  };
}

guard(childProcess.ChildProcess.prototype, 'spawn');
for (const name of ['spawnSync', 'execSync', 'execFileSync']) guard(childProcess, name);
guard(net.Socket.prototype, 'connect');
guard(net.Server.prototype, 'listen');
